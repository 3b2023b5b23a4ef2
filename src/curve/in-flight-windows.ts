/** Ends are told apart to this. */
const STEP_MS = 250;

/** In which windows the generations began that are in flight, or ended so lately that their records may be to come. */
export class InFlightWindows {
  readonly #settleMs: number;
  readonly #counts = new Map<number, number>();
  /** Of those that ended, how many began in which window, by the step of their end: however many they are, a few numbers. */
  readonly #leaving = new Map<number, Map<number, number>>();
  #settledTo = Number.NEGATIVE_INFINITY;

  constructor(settleMs: number) {
    this.#settleMs = settleMs;
  }

  began(window: number): void {
    add(this.#counts, window, 1);
  }

  left(window: number, atMs: number): void {
    const step = Math.floor(atMs / STEP_MS);
    let windows = this.#leaving.get(step);
    if (windows === undefined) {
      windows = new Map();
      this.#leaving.set(step, windows);
    }
    add(windows, window, 1);
  }

  /** Forgets those whose records must have come by now. */
  settle(nowMs: number): void {
    const due = Math.floor((nowMs - this.#settleMs) / STEP_MS);
    if (due <= this.#settledTo) return;
    this.#settledTo = due;
    for (const [step, windows] of this.#leaving) {
      if (step >= due) continue;
      this.#leaving.delete(step);
      for (const [window, count] of windows) add(this.#counts, window, -count);
    }
  }

  /** The oldest window in which one of them began, infinity where there are none. */
  get oldest(): number {
    return Math.min(...this.#counts.keys(), Number.POSITIVE_INFINITY);
  }

  /** How many of them began in this window or before. */
  begunBy(window: number): number {
    let begun = 0;
    for (const [began, count] of this.#counts) if (began <= window) begun += count;
    return begun;
  }
}

function add(counts: Map<number, number>, key: number, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
