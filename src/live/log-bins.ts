/** Bins a decade: 1 bin is 8 % wide, so a quantile is within 4 % of the truth. */
const PER_DECADE = 30;
const DECADES = 8;
const SIZE = PER_DECADE * DECADES;

/**
 * Counts in fixed logarithmic bins from `lowest` upwards over eight decades. Bins of two processes
 * or two moments add up, which is why quantiles are kept this way.
 */
export class LogBins {
  readonly #counts = new Uint32Array(SIZE);
  readonly #lowest: number;
  total = 0;

  constructor(lowest: number) {
    this.#lowest = lowest;
  }

  add(value: number): void {
    if (!Number.isFinite(value)) return;
    const place = Math.floor(Math.log10(Math.max(value, this.#lowest) / this.#lowest) * PER_DECADE);
    const bin = Math.min(SIZE - 1, Math.max(0, place));
    this.#counts[bin] = (this.#counts[bin] ?? 0) + 1;
    this.total += 1;
  }

  merge(other: LogBins): void {
    for (let bin = 0; bin < SIZE; bin += 1) this.#counts[bin] = (this.#counts[bin] ?? 0) + (other.#counts[bin] ?? 0);
    this.total += other.total;
  }

  clear(): void {
    this.#counts.fill(0);
    this.total = 0;
  }

  /** The value under which a share `q` (0 to 1) of the counts lies; null when there are none. */
  quantile(q: number): number | null {
    if (this.total === 0) return null;
    const rank = Math.max(1, Math.ceil(q * this.total));
    let passed = 0;
    for (let bin = 0; bin < SIZE; bin += 1) {
      passed += this.#counts[bin] ?? 0;
      if (passed >= rank) return this.#lowest * 10 ** ((bin + 0.5) / PER_DECADE);
    }
    return null;
  }
}
