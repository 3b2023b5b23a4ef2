/** Bins a decade: each is 8 % wide, so that a quantile is within 4 % of the truth. */
const PER_DECADE = 30;
/** Six decades: from a tenth of a token to a hundred thousand per second, or from a millisecond to a quarter of an hour. */
const MAX_BIN = 6 * PER_DECADE - 1;

/**
 * Counts in logarithmic bins of which only those that hold something take room: for thousands of users, most of
 * whom have a handful of values. At most 180 bins, whatever is added.
 */
export class FewBins {
  readonly #lowest: number;
  /** The bins in use, rising, and beside each what it holds. */
  readonly #bins: number[] = [];
  readonly #counts: number[] = [];

  /** `lowest`: the smallest value told apart. */
  constructor(lowest: number) {
    this.#lowest = lowest;
  }

  add(value: number): void {
    if (!Number.isFinite(value)) return;
    const place = Math.floor(Math.log10(Math.max(value, this.#lowest) / this.#lowest) * PER_DECADE);
    this.#increase(Math.min(MAX_BIN, Math.max(0, place)), 1);
  }

  merge(other: FewBins): void {
    other.#bins.forEach((bin, index) => {
      this.#increase(bin, other.#counts[index] ?? 0);
    });
  }

  /** The value under which a share `q` (0 to 1) of the counts lies; null when there are none. */
  quantile(q: number): number | null {
    const total = this.#counts.reduce((sum, count) => sum + count, 0);
    const rank = Math.max(1, Math.ceil(q * total));
    let passed = 0;
    for (const [index, count] of this.#counts.entries()) {
      passed += count;
      if (passed >= rank) return this.#lowest * 10 ** (((this.#bins[index] ?? 0) + 0.5) / PER_DECADE);
    }
    return null;
  }

  #increase(bin: number, count: number): void {
    const index = this.#bins.findIndex((used) => used >= bin);
    const at = index < 0 ? this.#bins.length : index;
    if (this.#bins[at] === bin) this.#counts[at] = (this.#counts[at] ?? 0) + count;
    else {
      this.#bins.splice(at, 0, bin);
      this.#counts.splice(at, 0, count);
    }
  }
}
