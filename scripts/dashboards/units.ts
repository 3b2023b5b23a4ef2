/**
 * Units of panels. `grafana` is the id in Grafana's unit list, or a text that it puts behind the number.
 * `plausible` are the bounds that no true value leaves: not what is good, what is possible at all.
 */
export interface Unit {
  readonly grafana: string;
  readonly decimals?: number;
  readonly plausible: readonly [least: number, most: number];
}

const MOST_TOKENS_PER_SECOND = 1e7;
const YEAR_SECONDS = 366 * 86_400;

const BY_NAME = {
  tokensPerSecond: { grafana: 'tok/s', decimals: 0, plausible: [0, MOST_TOKENS_PER_SECOND] },
  tokensPerDay: { grafana: 'short', plausible: [0, MOST_TOKENS_PER_SECOND * 86_400] },
  tokens: { grafana: 'short', plausible: [0, 1e15] },
  seconds: { grafana: 's', plausible: [0, 86_400] },
  age: { grafana: 's', decimals: 0, plausible: [0, 10 * YEAR_SECONDS] },
  /** A part of a whole. */
  ratio: { grafana: 'percentunit', decimals: 1, plausible: [0, 1] },
  /** Against something that can be surpassed: a floor, a reference price, the best so far. */
  share: { grafana: 'percentunit', decimals: 0, plausible: [0, 1e4] },
  /** Of an error budget: 1 untouched, 0 used up, below 0 overdrawn (-999 where everything fails an objective of 0.999). */
  budget: { grafana: 'percentunit', decimals: 1, plausible: [-1e5, 1] },
  /** How many times faster than allowed the budget goes. */
  burnRate: { grafana: 'x', decimals: 1, plausible: [0, 1e5] },
  /** Mean number of things at once. */
  count: { grafana: 'short', decimals: 1, plausible: [0, 1e6] },
  events: { grafana: 'short', decimals: 0, plausible: [0, 1e12] },
  requestsPerSecond: { grafana: 'reqps', plausible: [0, 1e6] },
  eventsPerSecond: { grafana: 'cps', plausible: [0, 1e7] },
  dollars: { grafana: 'currencyUSD', plausible: [0, 1e7] },
  hours: { grafana: 'h', decimals: 2, plausible: [0, 1e7] },
  gpus: { grafana: 'GPUs', decimals: 2, plausible: [0, 1e5] },
  bytes: { grafana: 'bytes', decimals: 1, plausible: [0, 1e13] },
  boolean: { grafana: 'short', decimals: 0, plausible: [0, 1] },
} as const satisfies Record<string, Unit>;

export type UnitName = keyof typeof BY_NAME;
export const UNITS: Readonly<Record<UnitName, Unit>> = BY_NAME;
