import type { Channel } from '../wire/facts.ts';

/** So many are noted before they are accounted for: from here on more of them would save nothing. */
export const MOST_NOTED = 16;

/** Output events of one choice and channel that are noted, and not yet accounted for: when each came, and its characters. */
export class NotedEvents {
  choice = 0;
  channel: Channel = 'content';
  count = 0;
  /** Time and characters of each, in turn. */
  readonly #cells = new Float64Array(2 * MOST_NOTED);

  add(atMs: number, characters: number): void {
    const cell = 2 * this.count;
    this.#cells[cell] = atMs;
    this.#cells[cell + 1] = characters;
    this.count += 1;
  }

  /** Visits what is noted, in the order in which it came, and forgets it. */
  take(visit: (atMs: number, characters: number) => void): void {
    const { count } = this;
    this.count = 0;
    for (let cell = 0; cell < 2 * count; cell += 2) visit(this.#cells[cell] ?? 0, this.#cells[cell + 1] ?? 0);
  }
}
