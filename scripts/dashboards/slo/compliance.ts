import { SLOS } from '../../../src/metrics/catalog/slos.ts';
import type { Panel, Row } from '../panel.ts';
import { BURN_WINDOWS, configured, rate, sum } from '../promql.ts';
import { BY, budgetLeft, burnRate, GOOD, GOOD_OVER_RANGE } from './budget.ts';

const LEGEND = '{{workload}} · {{slo}}';

const TARGETS: Panel = {
  kind: 'table',
  title: 'Objectives and targets, as configured',
  unit: 'ratio',
  width: 8,
  height: 6,
  columns: [
    { title: 'objective', unit: 'ratio' },
    { title: 'at most', unit: 'seconds' },
    { title: 'at least', unit: 'tokensPerSecond' },
  ],
  formula:
    'the share of requests that must be good, and the target they are judged by: a time at most, a speed at least',
  description: 'From the configuration. Requests may bring their own target where `slo_override` allows it.',
  whenBad: 'A target nobody remembers: agree on it, or take it out.',
  queries: [
    { expr: configured(SLOS.sloObjective), legend: LEGEND },
    { expr: configured(SLOS.sloThreshold), legend: LEGEND },
    { expr: `label_replace(${configured(SLOS.sloMinSpeed)}, "slo", "speed", "", "")`, legend: LEGEND },
  ],
};

const FIGURES: readonly Panel[] = [
  {
    kind: 'stat',
    title: 'Good requests over the range',
    unit: 'ratio',
    width: 8,
    height: 6,
    isTrend: false,
    steps: [{ from: null, color: 'text' }],
    formula: 'good ÷ judged, over the range, by workload and SLO',
    description:
      'Each request is judged by the gateway against the configured target, so this is exact. Compare with the objective in the table below.',
    whenBad: 'Below its objective: see the budget, then the operator dashboard for the figure that is judged.',
    queries: [{ expr: GOOD_OVER_RANGE, legend: LEGEND }],
  },
  {
    kind: 'stat',
    title: 'Error budget left (30 days)',
    unit: 'budget',
    width: 8,
    height: 6,
    isTrend: false,
    steps: [
      { from: null, color: 'red' },
      { from: 0, color: 'orange' },
      { from: 0.25, color: 'green' },
    ],
    formula: '1 − (bad ÷ judged over 30 days) ÷ (1 − objective)',
    description:
      '100 %: nothing of what may go wrong has gone wrong. At 0 % the objective is just kept; below, it is missed. Of what Prometheus still holds of 30 days.',
    whenBad: 'Low: no risky change before it recovers. Negative: the target or the capacity is wrong, decide which.',
    queries: [{ expr: budgetLeft('30d'), legend: LEGEND }],
  },
];

const MEANING = {
  '5m': 'What happens now: it rises and falls within minutes.',
  '1h': 'From 14.4 on, with the five minutes, it pages: both high is a fire that still burns.',
  '6h': 'From 6 on, with its last 30 minutes, it pages. Over 1 for days it empties a budget all the same, and that is a ticket.',
} as const;

const BURNING: readonly Panel[] = BURN_WINDOWS.map((window) => ({
  kind: 'timeseries',
  title: `Burn rate, ${window}`,
  unit: 'burnRate',
  width: 8,
  height: 8,
  formula: `(bad ÷ judged over ${window}) ÷ (1 − objective), by workload and SLO`,
  description: `1: the budget lasts just its 30 days. 14.4: a fiftieth of it goes in an hour. ${MEANING[window]}`,
  whenBad:
    'ttft: requests queue. tpot, speed, gap: the engine shares itself among too many. e2e: longer answers, or all of these.',
  queries: [{ expr: burnRate(window), legend: LEGEND }],
}));

const COURSE: readonly Panel[] = [
  {
    kind: 'timeseries',
    title: 'Good ratio',
    unit: 'ratio',
    width: 8,
    height: 8,
    most: 1,
    leastStep: '10s',
    formula: 'good ÷ judged in each window, by workload and SLO',
    description: 'When it went wrong, and for how long.',
    whenBad: 'Lay it beside concurrency and TTFT of the operator dashboard at the same time.',
    queries: [{ expr: GOOD, legend: LEGEND }],
  },
  {
    kind: 'timeseries',
    title: 'Bad requests, by SLO',
    unit: 'requestsPerSecond',
    width: 8,
    height: 8,
    isStacked: true,
    formula: 'requests judged bad per second, by workload and SLO',
    description: 'How many people notice. A request can be bad for several SLOs; failures are bad for all of them.',
    whenBad: 'All SLOs at once: requests fail, see outcomes. One: that target.',
    queries: [{ expr: sum(rate(SLOS.sloRequests, { where: ['slo!="all"', 'verdict="bad"'] }), BY), legend: LEGEND }],
  },
  {
    kind: 'timeseries',
    title: 'Undecided requests',
    unit: 'requestsPerSecond',
    width: 8,
    height: 8,
    isStacked: true,
    formula: 'requests per second whose client left before the SLO could be judged',
    description: 'Neither good nor bad. They hide an outage when users give up before the threshold passes.',
    whenBad: 'Many: people leave early; a tighter ttft target would judge them.',
    queries: [{ expr: sum(rate(SLOS.sloUndecided, { where: ['slo!="all"'] }), BY), legend: LEGEND }],
  },
];

export const COMPLIANCE: Row = { title: null, panels: [...FIGURES, TARGETS] };
export const BURN: Row = { title: 'How fast the budget goes', panels: [...BURNING, ...COURSE] };
