import type { Alert, Recording, RuleFile } from './rule.ts';
import { numberOf } from './text.ts';
import {
  type BurnWindow,
  burnRateOf,
  MOST_BAD_ASKED,
  RECORDED_EVERY,
  secondsOf,
  THROUGHPUT_WINDOWS,
} from './windows.ts';

const BY = ['job', 'upstream'] as const;
const by = BY.join(', ');
const DASHBOARD = { uid: 'pitot-operator', variables: ['job', 'upstream'] } as const;
const FLOOR = numberOf('pitot_throughput_floor_tokens_per_second', BY);
const DEMAND = numberOf('upstream:pitot_demand:ratio5m', BY, 'humanizePercentage');
const CONCURRENCY = numberOf('upstream:pitot_concurrency:rate5m', BY);

/** Demand for so long within the long window, or a few bad minutes in a quiet night would be all there is to judge by. */
const LEAST_DEMAND_SECONDS = 1_800;

/** How often it is looked whether there are requests. */
const DEMAND_STEP_SECONDS = 15;

export const THROUGHPUT_RULES: RuleFile = {
  name: 'throughput',
  about: [
    'System throughput against the configured floor of each upstream, and streams that stand still. An upstream is one engine, however many gateways of a job stand in front of it: they are added up by its name.',
  ],
  groups: [
    { name: 'pitot-throughput', interval: RECORDED_EVERY, rules: recordings() },
    { name: 'pitot-throughput-alerts', rules: [belowFloor(), ...THROUGHPUT_WINDOWS.map(budgetAlert), stalled()] },
  ],
};

function recordings(): Recording[] {
  return [
    {
      record: 'upstream:pitot_concurrency:rate5m',
      about: 'Mean number of generations in flight, all phases.',
      expr: `sum by (${by}) (rate(pitot_request_phase_seconds_total[5m]))`,
    },
    {
      record: 'upstream:pitot_output_tokens:rate5m',
      about: 'Output tokens per second; 0, and not unknown, where there are requests and there never was a token.',
      expr: `sum by (${by}) (rate(pitot_output_tokens_total[5m]))\nor upstream:pitot_concurrency:rate5m * 0`,
    },
    {
      record: 'upstream:pitot_demand:bool',
      about: 'Whether the floor counts: 1 with the configured concurrency or more on average, 0 below it.',
      expr: `upstream:pitot_concurrency:rate5m >= bool on (${by}) max by (${by}) (pitot_throughput_floor_min_concurrency)`,
    },
    {
      record: 'upstream:pitot_demand:ratio5m',
      about:
        'For which part of the 5 minutes the requests were there, or half as many as the floor asks for. Where they came two minutes ago, an engine at full speed has made two fifths of its tokens of 5 minutes. One look is taken off: a minute is looked at five times, both ends among them.',
      expr: [
        'clamp_max((sum_over_time((',
        `  sum by (${by}) (pitot_requests_in_flight) >= bool on (${by}) max by (${by}) (pitot_throughput_floor_min_concurrency) / 2`,
        `)[5m:${DEMAND_STEP_SECONDS}s]) - 1) * ${DEMAND_STEP_SECONDS} / 300, 1)`,
      ].join('\n'),
    },
    {
      record: 'upstream:pitot_throughput_slice_bad:bool',
      about:
        '1 below the floor, 0 at or above it, no sample without demand: a quiet night neither spends the budget nor fills it.',
      expr: [
        'upstream:pitot_output_tokens:rate5m',
        `< bool on (${by}) (max by (${by}) (pitot_throughput_floor_tokens_per_second) * on (${by}) upstream:pitot_demand:ratio5m)`,
        `and on (${by}) upstream:pitot_demand:bool == 1`,
      ].join('\n'),
    },
    {
      record: 'upstream:pitot_throughput_budget:ratio',
      about: 'The share of the time with demand that may be below the floor.',
      expr: `1 - max by (${by}) (pitot_throughput_floor_objective_ratio)`,
    },
  ];
}

function belowFloor(): Alert {
  return {
    alert: 'PitotThroughputBelowFloor',
    expr: `upstream:pitot_output_tokens:rate5m and on (${by}) upstream:pitot_throughput_slice_bad:bool == 1`,
    for: '5m',
    severity: 'critical',
    summary: 'Upstream {{ $labels.upstream }} gives less than its throughput floor while there is demand.',
    description: `{{ $value | humanize }} output tokens/s in the last 5 minutes, with ${CONCURRENCY} generations in flight on average and demand in ${DEMAND} of the time; the floor is ${FLOOR} tokens/s.`,
    runbook: 'PitotThroughputBelowFloor',
    dashboard: DASHBOARD,
  };
}

function budgetAlert(window: BurnWindow): Alert {
  const { long, short } = window;
  const burnRate = burnRateOf(window);
  const spent = burnRate === 1 ? '' : `${burnRate} * `;
  const allowed = `clamp_max(${spent}upstream:pitot_throughput_budget:ratio, ${MOST_BAD_ASKED})`;
  const bad = (duration: string) => `avg_over_time(upstream:pitot_throughput_slice_bad:bool[${duration}])`;
  const isLeak = window.name === 'Leak';
  return {
    alert: isLeak ? 'PitotThroughputBudgetLeak' : 'PitotThroughputBudgetBurn',
    expr: [
      `${bad(long)} > on (${by}) ${allowed}`,
      `and on (${by}) ${bad(short)} > on (${by}) ${allowed}`,
      `and on (${by}) sum_over_time(upstream:pitot_demand:bool[${long}]) * ${secondsOf(RECORDED_EVERY)} >= ${LEAST_DEMAND_SECONDS}`,
    ].join('\n'),
    for: window.for,
    severity: 'warning',
    labels: { burn: window.name.toLowerCase() },
    summary: isLeak
      ? 'Upstream {{ $labels.upstream }} misses its throughput floor more often than its objective allows.'
      : `Upstream {{ $labels.upstream }} misses its throughput floor about ${burnRate} times as often as its objective allows.`,
    description: `In {{ $value | humanizePercentage }} of the time with demand of the last ${long} throughput was below the floor of ${FLOOR} tokens/s; the objective allows ${numberOf('upstream:pitot_throughput_budget:ratio', BY, 'humanizePercentage')}.`,
    runbook: 'PitotThroughputBudgetBurn and PitotThroughputBudgetLeak',
    dashboard: { uid: 'pitot-slo', variables: ['job', 'upstream'] },
  };
}

function stalled(): Alert {
  const model = 'job, upstream, model';
  return {
    alert: 'PitotStalled',
    about:
      'The mean number of streams, not whether there is one at this moment: clients that give up and try again leave gaps. An unstreamed answer sends its tokens at its end and cannot stand still.',
    expr: [
      `sum by (${model}) (rate(pitot_request_phase_seconds_total{phase!="unstreamed"}[3m])) > 0.9`,
      `unless on (${model}) sum by (${model}) (increase(pitot_output_tokens_total[3m])) > 0`,
    ].join('\n'),
    for: '2m',
    severity: 'critical',
    summary: 'Upstream {{ $labels.upstream }} holds streams of {{ $labels.model }} and sends no token.',
    description:
      '{{ $value | humanize }} streams in flight on average in the last 3 minutes, and not one output token in 5.',
    runbook: 'PitotStalled',
    dashboard: { uid: 'pitot-operator', variables: ['job', 'upstream', 'model'] },
  };
}
