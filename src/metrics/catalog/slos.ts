import { type MetricEntry, W } from './entry.ts';

const OF_WORKLOAD = ['workload', 'slo'] as const;

/** SLOs: what was good, what was bad, and by which targets. Workloads without targets have no series here. */
export const SLOS = {
  sloRequests: {
    name: 'pitot_slo_requests_total',
    type: 'counter',
    labels: [...W, 'slo', 'verdict'],
    addsUp: 'sum',
    unit: 'requests',
    help: 'Generations by their verdict on each SLO of their workload; all is the conjunction of what was judged, and its good ones are the goodput (CONTRACT 6.9). Counted when they end; ttft when the first token comes or is overdue, and where the end tells otherwise, the next of that verdict is not counted. Without slow clients (CONTRACT 6.10).',
  },
  sloUndecided: {
    name: 'pitot_slo_undecided_requests_total',
    type: 'counter',
    labels: [...W, 'slo'],
    addsUp: 'sum',
    unit: 'requests',
    help: 'Generations whose client left before this SLO could be judged; all where none could be (CONTRACT 6.9).',
  },
  goodOutputTokens: {
    name: 'pitot_good_output_tokens_total',
    type: 'counter',
    labels: W,
    addsUp: 'sum',
    unit: 'tokens',
    help: 'Output tokens of generations that met every SLO they were judged on: goodput in tokens (CONTRACT 1). Counted when they end.',
  },
  sloObjective: {
    name: 'pitot_slo_objective_ratio',
    type: 'gauge',
    labels: OF_WORKLOAD,
    addsUp: 'max',
    unit: 'ratio',
    help: 'Share of the requests that must be good, as configured for the workload; one series for each SLO it has a target for.',
  },
  sloThreshold: {
    name: 'pitot_slo_threshold_seconds',
    type: 'gauge',
    labels: OF_WORKLOAD,
    addsUp: 'max',
    unit: 'seconds',
    help: 'Target of the workload, as configured: at most so long is good. slo_override lets a request say its own.',
  },
  sloMinSpeed: {
    name: 'pitot_slo_min_speed_tokens_per_second',
    type: 'gauge',
    labels: ['workload'],
    addsUp: 'max',
    unit: 'tokens per second',
    help: 'Target of the workload for per-user speed, as configured: at least so fast is good.',
  },
} as const satisfies Record<string, MetricEntry>;
