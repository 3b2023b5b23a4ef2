import { REQUESTS } from '../../../src/metrics/catalog/requests.ts';
import { SLOS } from '../../../src/metrics/catalog/slos.ts';
import { TOKENS } from '../../../src/metrics/catalog/tokens.ts';
import { UPSTREAMS } from '../../../src/metrics/catalog/upstreams.ts';
import { FAILED } from '../failures.ts';
import { FLOOR_SHARE } from '../floor.ts';
import type { Panel, Step } from '../panel.ts';
import { max, over, rate, selected, sum } from '../promql.ts';

const RARE: readonly Step[] = [
  { from: null, color: 'green' },
  { from: 0.01, color: 'orange' },
  { from: 0.05, color: 'red' },
];

/** Six answers to the question whether anything is wrong, each a share and a colour. */
export const VITALS: readonly Panel[] = [
  {
    kind: 'stat',
    title: 'Requests missing an SLO',
    unit: 'ratio',
    width: 4,
    height: 4,
    isTrend: false,
    steps: RARE,
    formula: 'bad ÷ judged, of the verdict on all SLOs of the workload',
    description:
      'Share of the judged requests that missed at least one target of their workload. Absent without targets.',
    whenBad: 'The SLO dashboard says which target, of which workload, and how fast the budget goes.',
    queries: [
      {
        expr: over(
          sum(rate(SLOS.sloRequests, { where: ['slo="all"', 'verdict="bad"'] })),
          sum(rate(SLOS.sloRequests, { where: ['slo="all"'] })),
        ),
        legend: 'missing',
      },
    ],
  },
  {
    kind: 'stat',
    title: 'Failed requests',
    unit: 'ratio',
    width: 4,
    height: 4,
    isTrend: false,
    steps: RARE,
    formula: 'requests with an outcome that is a failure of upstream or gateway ÷ all finished requests',
    description: 'Errors, resets, timeouts, cut answers and refusals of ours. A client that leaves is no failure.',
    whenBad: 'See the outcomes below: unreachable and reset point at the engine, rejected at the configuration.',
    queries: [
      {
        expr: over(sum(rate(REQUESTS.requests, { where: FAILED })), sum(rate(REQUESTS.requests))),
        legend: 'failed',
      },
    ],
  },
  {
    kind: 'stat',
    title: 'Throughput of its floor',
    unit: 'share',
    width: 4,
    height: 4,
    isTrend: false,
    steps: [
      { from: null, color: 'red' },
      { from: 1, color: 'orange' },
      { from: 1.1, color: 'green' },
    ],
    formula:
      'system throughput ÷ configured floor, of upstreams at or over the floor’s minimum concurrency; the lowest',
    description:
      'The upstream nearest to its floor. Absent while no upstream has the demand from which its floor counts.',
    whenBad: 'Below 100 %: with this demand the engine used to give more. See it on its operating curve.',
    queries: [{ expr: `min(${FLOOR_SHARE})`, legend: 'lowest' }],
  },
  {
    kind: 'stat',
    title: 'Upstreams up',
    unit: 'ratio',
    width: 4,
    height: 4,
    isTrend: false,
    steps: [
      { from: null, color: 'red' },
      { from: 1, color: 'green' },
    ],
    formula: 'upstreams whose last attempt had an HTTP answer ÷ upstreams tried',
    description: 'From real requests, there are no probes: an upstream that nobody asked is not counted.',
    whenBad: 'See which one below, and since when; then the engine’s own health.',
    queries: [{ expr: `avg(${max(selected(UPSTREAMS.upstreamUp), ['upstream'])})`, legend: 'up' }],
  },
  {
    kind: 'stat',
    title: 'Tokens for nobody',
    unit: 'ratio',
    width: 4,
    height: 4,
    isTrend: false,
    steps: RARE,
    formula: 'output tokens of requests whose client left, that failed or were cut ÷ output tokens',
    description: 'The part of the output that reached nobody: GPU time without use.',
    whenBad: 'Clients that leave early: answers are too slow or too long. Else see the outcomes.',
    queries: [
      {
        expr: over(sum(rate(TOKENS.wastedOutputTokens)), sum(rate(TOKENS.outputTokens, { unfiltered: ['workload'] }))),
        legend: 'wasted',
      },
    ],
  },
  {
    kind: 'stat',
    title: 'Counts by the engine itself',
    unit: 'ratio',
    width: 4,
    height: 4,
    isTrend: false,
    steps: [
      { from: null, color: 'red' },
      { from: 0.9, color: 'orange' },
      { from: 0.97, color: 'green' },
    ],
    formula: 'finished generations with reported usage ÷ finished generations',
    description: 'How much of what is shown here is the engine’s own final count, not an estimate.',
    whenBad: 'Set the upstream’s `usage` (asking for it), or see below why answers are estimated.',
    queries: [
      {
        expr: over(
          sum(rate(REQUESTS.meteredRequests, { where: ['source="reported"'] })),
          sum(rate(REQUESTS.meteredRequests)),
        ),
        legend: 'reported',
      },
    ],
  },
];
