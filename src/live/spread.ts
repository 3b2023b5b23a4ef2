import type { LogBins } from './log-bins.ts';

/** A quantile near each end, and the middle. */
export interface Spread {
  p5: number;
  p50: number;
  p95: number;
}

/** Null where nothing was measured. `per`: how many of the kept unit make one of the unit that is told. */
export function spreadOf(bins: LogBins, per = 1): Spread | null {
  const [p5, p50, p95] = [bins.quantile(0.05), bins.quantile(0.5), bins.quantile(0.95)];
  if (p5 === null || p50 === null || p95 === null) return null;
  return { p5: rounded(p5 / per), p50: rounded(p50 / per), p95: rounded(p95 / per) };
}

/** Quantiles are known to half a percent; more digits would pretend. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
