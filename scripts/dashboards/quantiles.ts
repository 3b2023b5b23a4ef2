import type { MetricEntry } from '../../src/metrics/catalog/entry.ts';
import type { Query } from './panel.ts';
import { quantile } from './promql.ts';

/** For times: high is bad. */
export const HIGH = [0.5, 0.95, 0.99] as const;
/** For speeds: low is bad. */
export const LOW = [0.5, 0.1, 0.01] as const;

/** One query for each quantile, named p50, p95 and so on. */
export function quantileQueries(entry: MetricEntry, quantiles: readonly number[]): Query[] {
  return quantiles.map((q) => ({ expr: quantile(q, entry), legend: `p${q * 100}` }));
}
