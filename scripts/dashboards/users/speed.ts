import { LATENCY } from '../../../src/metrics/catalog/latency.ts';
import { REQUESTS } from '../../../src/metrics/catalog/requests.ts';
import { SLOS } from '../../../src/metrics/catalog/slos.ts';
import { USERS } from '../../../src/metrics/catalog/users.ts';
import type { Panel, Row } from '../panel.ts';
import { increase, over, rate, sum } from '../promql.ts';
import { quantileQueries } from '../quantiles.ts';

const DISTRIBUTION: readonly Panel[] = [
  {
    kind: 'heatmap',
    title: 'Per-user speed, all of it',
    unit: 'events',
    bucketUnit: 'tokensPerSecond',
    width: 12,
    height: 9,
    leastStep: '10s',
    formula: 'requests by their speed, per step',
    description: 'Every request of every user. A second, lower band is a group that is served worse.',
    whenBad: 'Find what the lower band shares: select a model, an upstream, a workload above.',
    queries: [
      { expr: sum(increase(LATENCY.userSpeed, { window: '$__rate_interval' }, '_bucket'), ['le']), legend: '{{le}}' },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Per-user speed: p90, p50, p10, p1',
    unit: 'tokensPerSecond',
    width: 12,
    height: 9,
    leastStep: '10s',
    formula: 'quantiles of 1 ÷ TPOT, over the requests that ended in the window',
    description: 'Low is bad: p1 is the slowest of a hundred.',
    whenBad: 'p90 and p1 part: some are served at the cost of others; compare workloads.',
    queries: quantileQueries(LATENCY.userSpeed, [0.9, 0.5, 0.1, 0.01]),
  },
  {
    kind: 'bars',
    title: 'Decode speed by user, the 15 slowest',
    unit: 'tokensPerSecond',
    width: 8,
    height: 9,
    formula: 'output tokens of a user ÷ the time its streams decoded, over the range',
    description:
      'An upper bound where a user also has unstreamed answers: their tokens count here, but they have no decode time. The panel beside says how much that is; true quantiles by user are on the live page and at /api/users.',
    whenBad:
      'One user slow: long prompts push its own decodes aside, or its client reads slowly. All: see the operator dashboard.',
    queries: [
      {
        expr: `bottomk(15, ${over(sum(increase(USERS.userOutputTokens), ['user']), sum(increase(USERS.userDecodeSeconds), ['user']), ['user'])})`,
        legend: '{{user}}',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Work that is not streamed',
    unit: 'ratio',
    width: 8,
    height: 9,
    most: 1,
    formula: 'seconds in flight of unstreamed generations ÷ of all generations',
    description: 'How far decode speed by user can be too high: near zero it is exact.',
    whenBad: 'Large: trust the quantiles above, which only streamed requests enter, not the bars.',
    queries: [
      {
        expr: over(
          sum(rate(REQUESTS.requestPhaseSeconds, { where: ['phase="unstreamed"'] })),
          sum(rate(REQUESTS.requestPhaseSeconds)),
        ),
        legend: 'unstreamed',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Requests slower than their target',
    unit: 'ratio',
    width: 8,
    height: 9,
    most: 1,
    formula: 'bad ÷ judged, of the verdicts on TPOT, speed and gap, by workload',
    description: 'Against the targets of the configuration, request by request. Absent without such a target.',
    whenBad: 'See the SLO dashboard for the budget.',
    queries: [
      {
        expr: over(
          sum(rate(SLOS.sloRequests, { where: ['slo=~"tpot|speed|gap"', 'verdict="bad"'] }), ['workload', 'slo']),
          sum(rate(SLOS.sloRequests, { where: ['slo=~"tpot|speed|gap"'] }), ['workload', 'slo']),
          ['workload', 'slo'],
        ),
        legend: '{{workload}} · {{slo}}',
      },
    ],
  },
];

export const USER_SPEED: Row = { title: 'How fast they are served', panels: DISTRIBUTION };
