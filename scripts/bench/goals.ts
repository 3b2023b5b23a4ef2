/** What Pitot has to reach, and the value past which it failed. A change of a goal needs no new measurement. The errors of the meter are measured by `npm run truth`. */
export interface Goal {
  readonly what: string;
  readonly unit: string;
  readonly digits: number;
  readonly reach: number;
  readonly limit: number;
  readonly best: 'low' | 'high';
}

const LOW_RATIO = { unit: '×', digits: 2, best: 'low' } as const;
const LOW_MS = { unit: 'ms', digits: 2, best: 'low' } as const;
const LOW_PERCENT = { unit: '%', digits: 2, best: 'low' } as const;
const LOW_MB = { unit: 'MB', digits: 0, best: 'low' } as const;

export const GOALS = {
  'event-cpu': { what: 'CPU per relayed and metered event, 100 × 50/s, of nginx', ...LOW_RATIO, reach: 2, limit: 2.4 },
  'event-cpu-newer-node': { what: 'the same on Node 24 or newer', ...LOW_RATIO, reach: 1.7, limit: 2 },
  'step-cpu': { what: 'CPU per relayed and metered event, of nginx', ...LOW_RATIO, reach: 2.2, limit: 2.6 },
  'metering-cpu': { what: '`metering: full`: CPU, of `off`', ...LOW_RATIO, reach: 1.05, limit: 1.1 },
  'added-p50': { what: 'latency added to an event, p50', ...LOW_MS, reach: 0.3, limit: 0.5 },
  'added-p99': { what: 'latency added to an event, p99', ...LOW_MS, reach: 4, limit: 8 },
  'call-cpu': { what: 'short calls: CPU, of nginx', ...LOW_RATIO, reach: 3.5, limit: 4.5 },
  'body-cpu': { what: '8 MiB bodies: CPU, of nginx', ...LOW_RATIO, reach: 3.5, limit: 4.5 },
  'open-memory': { what: '5,000 open streams: resident memory', ...LOW_MB, reach: 200, limit: 300 },
  saturation: {
    what: 'saturation of one worker on two cores, p99 under 100 ms, no faults',
    unit: 'events/s',
    digits: 0,
    best: 'high',
    reach: 25_000,
    limit: 18_000,
  },
  'live-error-half': { what: 'error of live throughput at half load', ...LOW_PERCENT, reach: 1, limit: 2 },
  'live-error-full': { what: 'error of live throughput at saturation', ...LOW_PERCENT, reach: 2, limit: 4 },
  'scrape-turn': { what: 'a scrape with 200 label sets: event loop blocked', ...LOW_MS, reach: 5, limit: 10 },
  'neighbour-wait': {
    what: "beside heavy traffic of others: rise of a first token's p99",
    ...LOW_MS,
    reach: 20,
    limit: 20,
  },
  'neighbour-memory': { what: 'beside heavy traffic of others: more memory', ...LOW_MB, reach: 40, limit: 40 },
} as const satisfies Record<string, Goal>;

export type GoalName = keyof typeof GOALS;
export type Verdict = 'reached' | 'within limit' | 'failed' | 'not measured';

export function goalNames(): GoalName[] {
  return Object.keys(GOALS) as GoalName[];
}

/** A value at a bound is within it. */
export function verdictOf({ reach, limit, best }: Goal, value: number | null): Verdict {
  if (value === null) return 'not measured';
  const isWithin = (bound: number) => (best === 'low' ? value <= bound : value >= bound);
  if (isWithin(reach)) return 'reached';
  return isWithin(limit) ? 'within limit' : 'failed';
}
