/** A speed is told of at least so long a time: two chunks that happen to come together are no speed. */
const LEAST_MS = 1_000;
/** A reading is kept so long before the next one takes its place. */
const KEEP_MS = 2_000;

/**
 * How fast one stream runs now, from what is seen of it whenever somebody looks: the path of a chunk has no part in
 * it. At one look a second it is the speed of the last two to three seconds; where nobody has looked for longer, of
 * the time since, and at the first look of all since the first token.
 */
export class RunningSpeed {
  #before: Reading;
  #last: Reading;

  /** The first token speaks of the time before it (CONTRACT §1, TPOT). */
  constructor(firstTokenMs: number) {
    this.#before = { atMs: firstTokenMs, tokens: 1 };
    this.#last = this.#before;
  }

  /** In tokens per second; null where it is too early to tell. */
  at(nowMs: number, tokens: number): number | null {
    if (nowMs - this.#last.atMs >= KEEP_MS) {
      this.#before = this.#last;
      this.#last = { atMs: nowMs, tokens };
    }
    const passedMs = nowMs - this.#before.atMs;
    return passedMs < LEAST_MS ? null : (Math.max(0, tokens - this.#before.tokens) * 1_000) / passedMs;
  }
}

interface Reading {
  atMs: number;
  tokens: number;
}
