import type { Severity } from './rule.ts';

/**
 * When an error budget is spent too fast. Each line: if the long window went on like this, so much of the
 * budget of 30 days would be gone within it; the short one (a twelfth) says that it is still going on.
 * Windows and shares are those of the Site Reliability Workbook, chapter 5 ("multiwindow, multi-burn-rate
 * alerts"); the leak, which it gives a whole budget in 30 days, is the slowest that misses the objective.
 */
export const BURN_WINDOWS = [
  { name: 'Fast', long: '1h', short: '5m', budget: 0.02, for: '2m', leastBad: 10, severity: 'critical' },
  { name: 'Medium', long: '6h', short: '30m', budget: 0.05, for: '5m', leastBad: 10, severity: 'critical' },
  { name: 'Slow', long: '1d', short: '2h', budget: 0.1, for: '15m', leastBad: 10, severity: 'warning' },
  { name: 'Leak', long: '3d', short: '6h', budget: 0.1, for: '1h', leastBad: 20, severity: 'warning' },
] as const satisfies readonly BurnWindow[];

export interface BurnWindow {
  readonly name: 'Fast' | 'Medium' | 'Slow' | 'Leak';
  readonly long: string;
  readonly short: string;
  /** Share of the budget of 30 days that is spent within the long window. */
  readonly budget: number;
  readonly for: string;
  /** So many bad requests in the long window at least: three of three misses of a model nobody uses are no incident. */
  readonly leastBad: number;
  readonly severity: Severity;
}

/**
 * The time with demand of an upstream has an objective, too. The floor itself alerts within minutes
 * (PitotThroughputBelowFloor); these are for what falls short again and again.
 */
export const THROUGHPUT_WINDOWS = BURN_WINDOWS.filter(({ name }) => name === 'Medium' || name === 'Leak');

/**
 * At most so much must be bad for an alert. An objective of 0.9 lets a budget be spent ten times too fast at most,
 * so 14.4 times could never be seen; that four fifths of all requests are bad is reason enough.
 */
export const MOST_BAD_ASKED = 0.8;

/**
 * How often the rates are recorded that these windows are made of. Said here and not left to Prometheus' own
 * interval, since a number of requests is the sum of recorded rates times this: an average would count for a whole
 * window what a new Prometheus has seen of it.
 */
export const RECORDED_EVERY = '1m';

const UNIT_SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 };

/** `6h` in seconds. */
export function secondsOf(duration: string): number {
  return Number(duration.slice(0, -1)) * (UNIT_SECONDS[duration.slice(-1)] ?? Number.NaN);
}

/** How many times too fast the budget is spent where `budget` of it goes in the long window. */
export function burnRateOf({ budget, long }: BurnWindow): number {
  return Number(((budget * secondsOf('30d')) / secondsOf(long)).toPrecision(6));
}
