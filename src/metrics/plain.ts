import type { CounterEntry, HistogramEntry, LabelNames, LabelValues } from './catalog/entry.ts';
import type { Collected, Family } from './family.ts';
import { LabelRows } from './label-rows.ts';

/**
 * Counters and histograms as plain numbers. To add to a known row costs nanoseconds, where a labelled
 * observe of prom-client costs about 450 (DESIGN §3). Look a row up once per request, not per chunk.
 */

/** Called when a number was refused because it is not finite or below 0: it would spoil a sum for good. */
export type OnRefused = () => void;

const FIRST_ROWS = 8;

export class PlainCounter<L extends LabelNames = LabelNames> implements Family {
  readonly entry: CounterEntry<L>;
  readonly #labels: LabelRows<L>;
  readonly #onRefused: OnRefused;
  #numbers = new Float64Array(FIRST_ROWS);

  constructor(entry: CounterEntry<L>, onRefused: OnRefused) {
    this.entry = entry;
    this.#labels = new LabelRows(entry.labels);
    this.#onRefused = onRefused;
  }

  /** The row of a label set. A new one starts at 0 and is exported from now on. */
  row(values: LabelValues<L>): number {
    const row = this.#labels.indexOf(values);
    if (row >= this.#numbers.length) this.#numbers = doubled(this.#numbers);
    return row;
  }

  add(row: number, amount: number): void {
    if (amount >= 0 && amount < Number.POSITIVE_INFINITY) this.#numbers[row] = (this.#numbers[row] ?? 0) + amount;
    else this.#onRefused();
  }

  collect(): Collected {
    const { rows } = this.#labels;
    return { entry: this.entry, rows, numbers: this.#numbers.slice(0, rows.length), bounds: null };
  }
}

export class PlainHistogram<L extends LabelNames = LabelNames> implements Family {
  readonly entry: HistogramEntry<L>;
  readonly bounds: readonly number[];
  readonly #labels: LabelRows<L>;
  readonly #onRefused: OnRefused;
  /** Numbers of one row: the bins, one above all bounds, the sum. */
  readonly #stride: number;
  #numbers: Float64Array<ArrayBuffer>;

  constructor(entry: HistogramEntry<L>, bounds: readonly number[], onRefused: OnRefused) {
    this.entry = entry;
    this.bounds = bounds;
    this.#labels = new LabelRows(entry.labels);
    this.#onRefused = onRefused;
    this.#stride = strideOf(bounds);
    this.#numbers = new Float64Array(FIRST_ROWS * this.#stride);
  }

  row(values: LabelValues<L>): number {
    const row = this.#labels.indexOf(values);
    if ((row + 1) * this.#stride > this.#numbers.length) this.#numbers = doubled(this.#numbers);
    return row;
  }

  /** Counts one value in the first bucket whose bound is not below it. */
  observe(row: number, value: number): void {
    if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) {
      this.#onRefused();
      return;
    }
    let low = 0;
    let high = this.bounds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (value <= (this.bounds[middle] ?? Number.POSITIVE_INFINITY)) high = middle;
      else low = middle + 1;
    }
    this.#increase(row * this.#stride + low, 1);
    this.#increase((row + 1) * this.#stride - 1, value);
  }

  /** Adds values that were binned elsewhere by the same bounds: one count for each bin, and their sum. */
  addBins(row: number, counts: ArrayLike<number>, sum: number): void {
    if (counts.length !== this.#stride - 1 || !(sum >= 0 && sum < Number.POSITIVE_INFINITY)) {
      this.#onRefused();
      return;
    }
    const start = row * this.#stride;
    for (let bin = 0; bin < counts.length; bin += 1) this.#increase(start + bin, counts[bin] ?? 0);
    this.#increase(start + this.#stride - 1, sum);
  }

  collect(): Collected {
    const { rows } = this.#labels;
    const numbers = this.#numbers.slice(0, rows.length * this.#stride);
    return { entry: this.entry, rows, numbers, bounds: this.bounds };
  }

  #increase(position: number, amount: number): void {
    this.#numbers[position] = (this.#numbers[position] ?? 0) + amount;
  }
}

/** How many numbers a row of a histogram has. */
export function strideOf(bounds: readonly number[]): number {
  return bounds.length + 2;
}

function doubled(numbers: Float64Array): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(numbers.length * 2);
  grown.set(numbers);
  return grown;
}
