/** Bins grow by a hundredth: a quantile is right to half a percent. */
const GROWTH = Math.log(1.01);
/** Below and above, nobody tells values apart: a tenth of a microsecond, a year in milliseconds. */
const LEAST = 1e-4;
const MOST = 1e11;
/** Room to grow on either side, so that not every new value copies the bins. */
const SLACK = 32;

/** Counts of positive numbers in logarithmic bins, kept for the span in which there are any. Those of two groups add up. */
export class Quantiles {
  #counts = new Uint32Array(0);
  /** The bin that the first count stands for. */
  #first = 0;
  #least = Number.POSITIVE_INFINITY;
  #most = 0;
  total = 0;

  add(value: number): void {
    this.#span(value, value);
    this.#increase(Math.floor(Math.log(Math.min(MOST, Math.max(LEAST, value))) / GROWTH), 1);
  }

  merge(other: Quantiles): void {
    this.#span(other.#least, other.#most);
    other.#counts.forEach((count, index) => {
      if (count > 0) this.#increase(other.#first + index, count);
    });
  }

  /** The value under which a share `q` (0 to 1) of all lies; null without any. */
  at(q: number): number | null {
    const rank = Math.max(1, Math.ceil(q * this.total));
    let passed = 0;
    for (let index = 0; index < this.#counts.length; index += 1) {
      passed += this.#counts[index] ?? 0;
      if (passed >= rank) return this.#middleOf(this.#first + index);
    }
    return null;
  }

  #span(least: number, most: number): void {
    this.#least = Math.min(this.#least, least);
    this.#most = Math.max(this.#most, most);
  }

  /** Never beyond what there was, so that a single value is told as it is. */
  #middleOf(bin: number): number {
    return Math.min(this.#most, Math.max(this.#least, Math.exp((bin + 0.5) * GROWTH)));
  }

  #increase(bin: number, count: number): void {
    if (bin < this.#first || bin >= this.#first + this.#counts.length) this.#makeRoom(bin);
    const index = bin - this.#first;
    this.#counts[index] = (this.#counts[index] ?? 0) + count;
    this.total += count;
  }

  #makeRoom(bin: number): void {
    const isNew = this.#counts.length === 0;
    const first = isNew || bin < this.#first ? bin - SLACK : this.#first;
    const end = Math.max(bin + SLACK, isNew ? 0 : this.#first + this.#counts.length);
    const grown = new Uint32Array(isNew ? 2 * SLACK : end - first);
    if (!isNew) grown.set(this.#counts, this.#first - first);
    this.#counts = grown;
    this.#first = first;
  }
}
