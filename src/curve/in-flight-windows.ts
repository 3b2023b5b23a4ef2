/** In which windows the generations began that are in flight, or ended so lately that their records may be to come. */
export class InFlightWindows {
  readonly #settleMs: number;
  readonly #counts = new Map<number, number>();
  readonly #leaving: { window: number; atMs: number }[] = [];

  constructor(settleMs: number) {
    this.#settleMs = settleMs;
  }

  began(window: number): void {
    this.#counts.set(window, (this.#counts.get(window) ?? 0) + 1);
  }

  left(window: number, atMs: number): void {
    this.#leaving.push({ window, atMs });
  }

  /** Forgets those whose records must have come by now. */
  settle(nowMs: number): void {
    let settled = 0;
    for (const { window, atMs } of this.#leaving) {
      if (atMs + this.#settleMs > nowMs) break;
      settled += 1;
      const count = (this.#counts.get(window) ?? 0) - 1;
      if (count > 0) this.#counts.set(window, count);
      else this.#counts.delete(window);
    }
    this.#leaving.splice(0, settled);
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
