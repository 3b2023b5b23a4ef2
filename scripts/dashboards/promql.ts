import type { MetricEntry } from '../../src/metrics/catalog/entry.ts';

/** The variables that filter a metric which has a label of that name. */
const FILTERS = ['upstream', 'model', 'workload', 'user'] as const;
type Filter = (typeof FILTERS)[number];

/** Windows of the burn rates; every other rate is over what Grafana finds right for the step, or the whole range shown. */
export const BURN_WINDOWS = ['5m', '1h', '6h'] as const;
export type Window = '$__rate_interval' | '$__range' | (typeof BURN_WINDOWS)[number];

export interface Of {
  /** More matchers, as PromQL has them: `phase="prefill"`. */
  readonly where?: readonly string[];
  /** Variables that must not filter: the cost of a GPU is the cost of all its models. */
  readonly unfiltered?: readonly Filter[];
  readonly window?: Window;
}

/** The series of a metric that the variables select. */
export function selected(entry: MetricEntry, of: Of = {}, suffix = ''): string {
  const filters = FILTERS.filter((name) => entry.labels.includes(name) && !of.unfiltered?.includes(name));
  const matchers = ['job=~"$job"', ...filters.map((name) => `${name}=~"$${name}"`), ...(of.where ?? [])];
  return `${entry.name}${suffix}{${matchers.join(',')}}`;
}

export function rate(entry: MetricEntry, of: Of = {}, suffix = ''): string {
  return `rate(${selected(entry, of, suffix)}[${of.window ?? '$__rate_interval'}])`;
}

export function increase(entry: MetricEntry, of: Of = {}, suffix = ''): string {
  return `increase(${selected(entry, of, suffix)}[${of.window ?? '$__range'}])`;
}

export function sum(expr: string, by: readonly string[] = []): string {
  return by.length === 0 ? `sum(${expr})` : `sum by (${by.join(', ')}) (${expr})`;
}

/** For what every replica says of the same thing: configured values, the state of an upstream. */
export function max(expr: string, by: readonly string[] = []): string {
  return by.length === 0 ? `max(${expr})` : `max by (${by.join(', ')}) (${expr})`;
}

/**
 * A rate of what every replica says of the same thing, integrated over the range shown. Not the largest `increase`
 * of the range: a gateway that is replaced comes back as another instance, and each of them saw only its own part.
 */
export function overRange(ratePerSecond: string): string {
  return `sum_over_time((${ratePerSecond})[$__range:$__interval]) * $__interval_ms / 1000`;
}

/** A configured value: one for each set of its own labels, however many replicas say it. */
export function configured(entry: MetricEntry): string {
  return max(selected(entry), entry.labels);
}

/** Of the pooled observations of all replicas; never a mean of quantiles. */
export function quantile(q: number, entry: MetricEntry, by: readonly string[] = []): string {
  return `histogram_quantile(${q}, ${sum(rate(entry, {}, '_bucket'), [...by, 'le'])})`;
}

/** A fraction that is absent, instead of infinite or NaN, where there is nothing to divide by. */
export function over(part: string, whole: string, on: readonly string[] = []): string {
  return `${part} / ${on.length === 0 ? '' : `on (${on.join(', ')}) `}(${whole} > 0)`;
}
