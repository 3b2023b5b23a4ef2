import { CAPACITY } from '../../../src/metrics/catalog/capacity.ts';
import { SLOS } from '../../../src/metrics/catalog/slos.ts';
import { TOKENS } from '../../../src/metrics/catalog/tokens.ts';
import { FLOOR_SHARE, IS_BELOW_FLOOR } from '../floor.ts';
import type { Panel, Row } from '../panel.ts';
import { configured, rate, sum } from '../promql.ts';

const WORKLOAD = ['workload'] as const;

const GOODPUT_PANELS: readonly Panel[] = [
  {
    kind: 'timeseries',
    title: 'Goodput in requests',
    unit: 'requestsPerSecond',
    width: 12,
    height: 8,
    isStacked: true,
    formula: 'requests per second that met every SLO of their workload',
    description: 'The work that counts. Counted when requests end.',
    whenBad:
      'Falls while requests rise: past the best point of the operating curve, every further request costs others their target.',
    queries: [
      {
        expr: sum(rate(SLOS.sloRequests, { where: ['slo="all"', 'verdict="good"'] }), WORKLOAD),
        legend: '{{workload}}',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Goodput in tokens, against all tokens',
    unit: 'tokensPerSecond',
    width: 12,
    height: 8,
    leastStep: '10s',
    formula: 'output tokens per second of requests that met every SLO; of all requests',
    description:
      'The distance is output that came too late. Good tokens are counted when requests end, all tokens live: so short windows differ.',
    whenBad: 'A widening gap: throughput is bought with broken targets.',
    queries: [
      { expr: sum(rate(SLOS.goodOutputTokens)), legend: 'good' },
      { expr: sum(rate(TOKENS.outputTokens)), legend: 'all' },
    ],
  },
];

const FLOOR_PANELS: readonly Panel[] = [
  {
    kind: 'timeseries',
    title: 'Throughput of its floor, under demand',
    unit: 'share',
    width: 8,
    height: 8,
    formula: 'output tokens per second ÷ floor, by upstream, where mean concurrency is at or over the floor’s minimum',
    description: 'A quiet hour has no line: without demand a floor says nothing.',
    whenBad: 'Below 100 %: the engine gives less than it must. Conditions, neighbours, lengths.',
    queries: [{ expr: FLOOR_SHARE, legend: '{{upstream}}' }],
  },
  {
    kind: 'state',
    title: 'Below its floor, under demand',
    unit: 'boolean',
    width: 8,
    height: 8,
    words: { zero: 'kept', one: 'below', isOneGood: false },
    formula: '1 where an upstream with demand gives less than its floor, else 0; absent without demand',
    description: 'When, and how long.',
    whenBad: 'As beside.',
    queries: [{ expr: IS_BELOW_FLOOR, legend: '{{upstream}}' }],
  },
  {
    kind: 'table',
    title: 'Floor kept, of the time with demand',
    unit: 'ratio',
    width: 8,
    height: 8,
    columns: [
      { title: 'kept', unit: 'ratio' },
      { title: 'objective', unit: 'ratio' },
    ],
    formula: 'windows with demand in which the floor was kept ÷ windows with demand, over the range; the objective',
    description: 'By the windows that are drawn beside. A night without demand dilutes nothing.',
    whenBad: 'Below its objective: see when, beside.',
    queries: [
      {
        expr: `1 - avg_over_time((${IS_BELOW_FLOOR})[$__range:$__interval])`,
        legend: '{{upstream}}',
      },
      { expr: configured(CAPACITY.floorObjective), legend: '{{upstream}}' },
    ],
  },
];

const ALERTS: Panel = {
  kind: 'table',
  title: 'Firing alerts',
  unit: 'events',
  width: 24,
  height: 6,
  columns: [{ title: 'series', unit: 'events' }],
  formula: 'alerts of Pitot that fire now, from Prometheus itself',
  description: 'Empty is good. Each alert has its section in the runbook.',
  whenBad: 'Open its runbook section.',
  queries: [
    {
      expr: 'count by (alertname, severity) (ALERTS{alertname=~"Pitot.*",alertstate="firing"})',
      legend: '{{alertname}}',
    },
  ],
};

export const GOODPUT: Row = { title: 'Goodput', panels: GOODPUT_PANELS };
export const FLOORS: Row = { title: 'Throughput floors, and what fires', panels: [...FLOOR_PANELS, ALERTS] };
