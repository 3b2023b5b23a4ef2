import type { LabelNames, LabelValues, MetricEntry } from './catalog/entry.ts';
import type { Collected, Family } from './family.ts';
import { type LabelRow, LabelRows } from './label-rows.ts';

/** Hands over one number. Null, unknown or not finite: the series is absent in this scrape. */
export type Emit<L extends LabelNames> = (values: LabelValues<L>, value: number | null, more?: LabelRow) => void;

/** Reads numbers that live elsewhere, all of them, in one go. */
export type Read<L extends LabelNames> = (emit: Emit<L>) => void;

/** A counter or gauge whose numbers are kept by others (ledger, windows, operating system) and read when a scrape asks. */
export class LiveFamily<L extends LabelNames = LabelNames> implements Family {
  readonly entry: MetricEntry<L>;
  readonly #read: Read<L>;
  /** Kept over scrapes, so that the text of a row's labels is made once. */
  readonly #labels: LabelRows<L>;

  constructor(entry: MetricEntry<L>, read: Read<L>) {
    this.entry = entry;
    this.#read = read;
    this.#labels = new LabelRows(entry.labels);
  }

  collect(): Collected {
    const found = new Map<number, number>();
    this.#read((values, value, more) => {
      if (value === null || !Number.isFinite(value)) return;
      const row = this.#labels.indexOf(values, more);
      const before = found.get(row);
      found.set(row, before === undefined ? value : this.#joined(before, value));
    });
    const rows = [...found.keys()].map((row) => this.#labels.rows[row] ?? {});
    return { entry: this.entry, rows, numbers: Float64Array.from(found.values()), bounds: null };
  }

  /** Two sources with the same labels become one series in the way in which replicas do. */
  #joined(a: number, b: number): number {
    return this.entry.addsUp === 'sum' ? a + b : Math.max(a, b);
  }
}
