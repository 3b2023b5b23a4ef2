/** Something that has noted what came and not yet accounted for it. */
export interface Behind {
  catchUp(): void;
}

/**
 * Answers whose last events are noted and not yet accounted for. What one event moves lies far apart in memory, and
 * between two events of a stream a hundred others run: to fetch it all for each costs several times the work itself.
 * So events that say nothing new are noted, with their time, and accounted for a few at once; whoever reads what they
 * move has it caught up first.
 */
export class Backlog {
  readonly #schedule: (work: () => void) => void;
  #behind: Behind[] = [];

  /** `schedule` runs the work a moment later: how long what nobody reads may lag. */
  constructor(schedule: (work: () => void) => void) {
    this.#schedule = schedule;
  }

  add(one: Behind): void {
    if (this.#behind.length === 0) this.#schedule(() => this.catchUp());
    this.#behind.push(one);
  }

  /** From here on everything that was relayed is accounted for. */
  catchUp(): void {
    const behind = this.#behind;
    this.#behind = [];
    for (const one of behind) one.catchUp();
  }
}
