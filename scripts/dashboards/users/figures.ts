import { LATENCY } from '../../../src/metrics/catalog/latency.ts';
import { USERS } from '../../../src/metrics/catalog/users.ts';
import type { Panel, Row } from '../panel.ts';
import { increase, over, rate, sum } from '../promql.ts';
import { quantileQueries } from '../quantiles.ts';

const FIGURES: readonly Panel[] = [
  {
    kind: 'stat',
    title: 'Per-user speed',
    unit: 'tokensPerSecond',
    width: 8,
    height: 5,
    isTrend: true,
    leastStep: '10s',
    formula: '1 ÷ TPOT of each request that ended in the window; p50 and p10',
    description: 'What the median user sees, and what nine of ten exceed.',
    whenBad: 'See the operator dashboard: concurrency, then the operating curve.',
    queries: quantileQueries(LATENCY.userSpeed, [0.5, 0.1]),
  },
  {
    kind: 'stat',
    title: 'Users',
    unit: 'events',
    width: 4,
    height: 5,
    isTrend: false,
    formula: 'users with at least one finished request in the range',
    description: 'Users told apart by a label of their own; those beyond `identity.max_users` are one, `other`.',
    whenBad: 'One user named `unknown`: requests carry no identity; see `identity.user`.',
    queries: [{ expr: `count(${sum(increase(USERS.userRequests), ['user'])} > 0)`, legend: 'users' }],
  },
  {
    kind: 'stat',
    title: 'Requests',
    unit: 'requestsPerSecond',
    width: 4,
    height: 5,
    isTrend: true,
    formula: 'finished requests per second of the selected users',
    description: 'Counted when a request ends.',
    whenBad: 'A jump: see below who it is.',
    queries: [{ expr: sum(rate(USERS.userRequests)), legend: 'requests' }],
  },
  {
    kind: 'stat',
    title: 'Output tokens',
    unit: 'tokensPerSecond',
    width: 4,
    height: 5,
    isTrend: true,
    formula: 'output tokens per second of finished requests of the selected users',
    description: 'Unlike system throughput it moves when requests end, so long streams show late.',
    whenBad: 'As for system throughput.',
    queries: [{ expr: sum(rate(USERS.userOutputTokens)), legend: 'output' }],
  },
  {
    kind: 'stat',
    title: 'The largest user',
    unit: 'ratio',
    width: 4,
    height: 5,
    isTrend: false,
    formula: 'output tokens of the user with most ÷ output tokens of all users, over the range',
    description: 'How much of the output one user takes.',
    whenBad: 'One user crowds out the others: give it a workload of its own, or a quota before Pitot.',
    queries: [
      {
        expr: over(
          `max(${sum(increase(USERS.userOutputTokens, { unfiltered: ['user'] }), ['user'])})`,
          sum(increase(USERS.userOutputTokens, { unfiltered: ['user'] })),
        ),
        legend: 'share',
      },
    ],
  },
];

export const USER_FIGURES: Row = { title: null, panels: FIGURES };
