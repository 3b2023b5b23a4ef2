/** Bins a decade: each is 1 % wide, so that a quantile is right to half a percent. */
const PER_DECADE = 230;
/** Ten decades above the lowest value: from a tenth of a millisecond to eleven days. */
const MAX_BIN = 10 * PER_DECADE;
/** Room to grow on either side, so that not every new value copies the bins. */
const SLACK = 16;
/** Less than this is what rounding leaves of a weight that was taken away. */
const NOTHING = 1e-9;

/** Bins as plain data: weights from the bin `first` on, and that of zeros, left out where there are none. */
export interface BinsState {
  first: number;
  weights: number[];
  zeros?: number;
}

/** The bin that a quantile lies in: its edges, and its middle by ratio, which is what is told of it. */
export interface QuantileBin {
  from: number;
  middle: number;
  to: number;
}

const ZERO: QuantileBin = { from: 0, middle: 0, to: 0 };

/**
 * Weights in fixed logarithmic bins from `lowest` upwards; what is below counts as `lowest`, but 0 stays 0. Bins
 * of two processes or two moments add up, and may fade, which is why quantiles are kept this way.
 */
export class LogBins {
  readonly #lowest: number;
  #weights = new Float64Array(0);
  /** The bin that the first weight stands for. */
  #first = 0;
  #zeros = 0;
  total = 0;

  constructor(lowest: number) {
    this.#lowest = lowest;
  }

  /** Throws RangeError for what `state` cannot have written. */
  static of(lowest: number, { first, weights, zeros = 0 }: BinsState): LogBins {
    const bins = new LogBins(lowest);
    const isSound = Number.isInteger(first) && first >= 0 && first + weights.length <= MAX_BIN + 1;
    if (!isSound || ![...weights, zeros].every((weight) => weight >= 0 && weight < Number.POSITIVE_INFINITY))
      throw new RangeError('expected bins of finite weights');
    weights.forEach((weight, index) => {
      if (weight > 0) bins.#increase(first + index, weight);
    });
    bins.#addZeros(zeros);
    return bins;
  }

  /** Without empty bins at either end; weights to four digits. */
  get state(): BinsState {
    const weights = Array.from(this.#weights, toFourDigits);
    const zeros = this.#zeros > 0 ? { zeros: toFourDigits(this.#zeros) } : {};
    const start = weights.findIndex((weight) => weight > 0);
    if (start < 0) return { first: 0, weights: [], ...zeros };
    const end = weights.findLastIndex((weight) => weight > 0) + 1;
    return { first: this.#first + start, weights: weights.slice(start, end), ...zeros };
  }

  add(value: number, weight = 1): void {
    if (!Number.isFinite(value) || !(weight > 0)) return;
    if (value === 0) {
      this.#addZeros(weight);
      return;
    }
    const place = Math.floor(Math.log10(Math.max(value, this.#lowest) / this.#lowest) * PER_DECADE);
    this.#increase(Math.min(MAX_BIN, Math.max(0, place)), weight);
  }

  merge(other: LogBins): void {
    other.#weights.forEach((weight, index) => {
      if (weight > 0) this.#increase(other.#first + index, weight);
    });
    this.#addZeros(other.#zeros);
  }

  /** All weights times `factor`: what is remembered fades. */
  scale(factor: number): void {
    for (let index = 0; index < this.#weights.length; index += 1)
      this.#weights[index] = (this.#weights[index] ?? 0) * factor;
    this.#zeros *= factor;
    this.total *= factor;
  }

  clear(): void {
    this.#weights = new Float64Array(0);
    this.#zeros = 0;
    this.total = 0;
  }

  /** The value under which a share `q` (0 to 1) of the weight lies; null when there is none. */
  quantile(q: number): number | null {
    return this.quantileBin(q)?.middle ?? null;
  }

  /** The bin in which that value lies; null when there is no weight. */
  quantileBin(q: number): QuantileBin | null {
    if (this.total <= NOTHING) return null;
    const wanted = Math.max(NOTHING, q * this.total - NOTHING);
    let passed = this.#zeros;
    if (passed >= wanted) return ZERO;
    for (let index = 0; index < this.#weights.length; index += 1) {
      passed += this.#weights[index] ?? 0;
      if (passed >= wanted) return this.#bin(this.#first + index);
    }
    return this.#weights.length === 0 ? ZERO : this.#bin(this.#first + this.#weights.length - 1);
  }

  /** The mean of all, to half a percent; null when there is no weight. */
  mean(): number | null {
    if (this.total <= NOTHING) return null;
    let sum = 0;
    for (const [index, weight] of this.#weights.entries())
      if (weight > 0) sum += weight * this.#bin(this.#first + index).middle;
    return sum / this.total;
  }

  #bin(bin: number): QuantileBin {
    const at = (place: number) => this.#lowest * 10 ** (place / PER_DECADE);
    return { from: at(bin), middle: at(bin + 0.5), to: at(bin + 1) };
  }

  #addZeros(weight: number): void {
    this.#zeros += weight;
    this.total += weight;
  }

  #increase(bin: number, weight: number): void {
    if (bin < this.#first || bin >= this.#first + this.#weights.length) this.#makeRoom(bin);
    const index = bin - this.#first;
    this.#weights[index] = (this.#weights[index] ?? 0) + weight;
    this.total += weight;
  }

  #makeRoom(bin: number): void {
    const isNew = this.#weights.length === 0;
    const first = isNew || bin < this.#first ? Math.max(0, bin - SLACK) : this.#first;
    const end = Math.max(bin + SLACK, isNew ? 0 : this.#first + this.#weights.length);
    const grown = new Float64Array(end - first);
    if (!isNew) grown.set(this.#weights, this.#first - first);
    this.#weights = grown;
    this.#first = first;
  }
}

function toFourDigits(weight: number): number {
  return Number(weight.toPrecision(4));
}
