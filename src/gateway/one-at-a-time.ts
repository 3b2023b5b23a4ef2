import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Makes what takes long for one after the other, whoever asks and however often, so that no crowd of
 * askers holds up the relay. Who asks meanwhile shares, with all others who want the same, what is begun
 * after they asked: nothing is older than the question, and nobody waits for more than what runs and one
 * making for each thing that is wanted.
 */
export class OneAtATime<Key, Made> {
  readonly #make: (key: Key) => Made | Promise<Made>;
  readonly #notBegun = new Map<Key, Promise<Made>>();
  #running: Promise<unknown> = Promise.resolve();

  constructor(make: (key: Key) => Made | Promise<Made>) {
    this.#make = make;
  }

  /** Rejects as the making does. */
  get(key: Key): Promise<Made> {
    const notBegun = this.#notBegun.get(key);
    if (notBegun !== undefined) return notBegun;
    const made = this.#after(this.#running, key);
    this.#notBegun.set(key, made);
    this.#running = made.catch(() => {});
    return made;
  }

  async #after(running: Promise<unknown>, key: Key): Promise<Made> {
    await running;
    // What came together is answered together.
    await nextTurn();
    this.#notBegun.delete(key);
    return await this.#make(key);
  }
}
