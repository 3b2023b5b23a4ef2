/** The clocks of the thread that counts, in milliseconds. */
export interface CountClocks {
  /** CPU time of this thread. */
  cpuMs(): number;
  /** Time that passes, from one origin for all threads (`sharedMs`). */
  sharedMs(): number;
}

/** What one count may use. */
export interface CountLimits {
  /** CPU time (`estimate.budget_ms`), milliseconds. */
  budgetMs: number;
  /** The moment, on the shared clock, from which on nobody waits for the answer. */
  untilMs: number;
}

/**
 * Says when a count must come to an end: when it has used its CPU time, or when its answer is due,
 * whichever is first. The first is what work may cost, the second what a record may wait.
 */
export class CountBudget {
  readonly #clocks: CountClocks;
  readonly #endCpuMs: number;
  readonly #untilMs: number;

  constructor({ budgetMs, untilMs }: CountLimits, clocks: CountClocks) {
    this.#clocks = clocks;
    this.#endCpuMs = clocks.cpuMs() + budgetMs;
    this.#untilMs = untilMs;
  }

  get isOver(): boolean {
    return this.#clocks.cpuMs() >= this.#endCpuMs || this.#clocks.sharedMs() >= this.#untilMs;
  }
}

/** Monotonic milliseconds from one origin for all threads of the machine; `performance.now` has one for each. */
export function sharedMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}
