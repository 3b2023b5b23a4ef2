/** What a metric promises to the world, said once: from these entries come /metrics, docs/METRICS.md and the contract tests. */

export type LabelNames = readonly string[];
/** One value for each name, in the order of the names. */
export type LabelValues<L extends LabelNames> = { readonly [K in keyof L]: string };

/**
 * How values of several gateways (or workers) become one: `sum`; `max` where each tells the same
 * thing of its own view; `none` where no single number is true (look at each, or divide sums).
 */
export type AddsUp = 'sum' | 'max' | 'none';

interface Described<L extends LabelNames> {
  /** Base units in the name, `_total` for counters only (promtool check metrics). */
  readonly name: string;
  readonly labels: L;
  readonly addsUp: AddsUp;
  /** The unit in words, for the documentation. */
  readonly unit: string;
  /** The definition and its source, in one line without quotes and backslashes. */
  readonly help: string;
  /** Exported only where this switch of `metrics` in the configuration is on. */
  readonly only?: 'extra' | 'process' | 'otel_names';
  /** With several workers, who has a series of its own, told apart by the label `worker` (CONTRACT §7). */
  readonly perWorker?: 'every process' | 'workers';
}

export interface CounterEntry<L extends LabelNames = LabelNames> extends Described<L> {
  readonly type: 'counter';
}

export interface GaugeEntry<L extends LabelNames = LabelNames> extends Described<L> {
  readonly type: 'gauge';
  /** The configuration adds labels of its own (`conditions`). */
  readonly openLabels?: true;
}

export interface HistogramEntry<L extends LabelNames = LabelNames> extends Described<L> {
  readonly type: 'histogram';
  /** Upper bounds in the metric's unit, rising, without infinity. */
  readonly buckets: readonly number[];
  /** The SLO whose configured targets become bounds too, so that a share read from buckets is exact there. */
  readonly target?: Target;
}

export type MetricEntry<L extends LabelNames = LabelNames> = CounterEntry<L> | GaugeEntry<L> | HistogramEntry<L>;

export type Target = 'ttft' | 'tpot' | 'speed' | 'gap' | 'e2e';

/** The label sets of CONTRACT §7. */
export const U = ['upstream'] as const;
export const M = ['upstream', 'model'] as const;
export const W = ['upstream', 'model', 'workload'] as const;
