import type { MetricEntry } from './catalog/entry.ts';
import type { LabelRow } from './label-rows.ts';

/** The numbers of one family at one moment, copied, so that they can be written out later, a slice at a time. */
export interface Collected {
  readonly entry: MetricEntry;
  readonly rows: readonly LabelRow[];
  /** One number a row; for a histogram a bin for every bound, one above all, and the sum. */
  readonly numbers: Float64Array;
  /** Bounds of a histogram; null for counters and gauges. */
  readonly bounds: readonly number[] | null;
}

/** All series of one metric. Its numbers are plain; prom-client sees them at scrape time only. */
export interface Family {
  readonly entry: MetricEntry;
  collect(): Collected;
}
