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

  /** The oldest window in which one of them began, infinity where there are none. Those that began before `forget` are waited for no longer. */
  oldest(nowMs: number, forget: number): number {
    let settled = 0;
    for (const { window, atMs } of this.#leaving) {
      if (atMs + this.#settleMs > nowMs) break;
      settled += 1;
      const count = (this.#counts.get(window) ?? 0) - 1;
      if (count > 0) this.#counts.set(window, count);
      else this.#counts.delete(window);
    }
    this.#leaving.splice(0, settled);
    let oldest = Number.POSITIVE_INFINITY;
    for (const window of this.#counts.keys()) {
      if (window < forget) this.#counts.delete(window);
      else oldest = Math.min(oldest, window);
    }
    return oldest;
  }
}
