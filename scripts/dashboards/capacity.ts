import { CAPACITY } from '../../src/metrics/catalog/capacity.ts';
import { UPSTREAMS } from '../../src/metrics/catalog/upstreams.ts';
import { UPSTREAM_CONCURRENCY, UPSTREAM_THROUGHPUT } from './floor.ts';
import type { TimeSeriesPanel } from './panel.ts';
import { max, rate, selected } from './promql.ts';

/** Over replicas each knows its own part of the traffic; the highest is the one that has seen most of the curve. */
export const MAX_THROUGHPUT = max(selected(CAPACITY.maxThroughput), ['upstream', 'workload']);
const MAX_CONCURRENCY = max(selected(CAPACITY.maxConcurrency), ['upstream', 'workload']);

/** Share of the time with at least one request: at least what the busiest replica saw. */
export const BUSY_SHARE = `clamp_max(${max(rate(UPSTREAMS.upstreamBusySeconds), ['upstream'])}, 1)`;

export const MAX_UNDER_SLO: TimeSeriesPanel = {
  kind: 'timeseries',
  title: 'Throughput, and its maximum under SLO',
  unit: 'tokensPerSecond',
  width: 8,
  height: 8,
  targets: ['max'],
  formula:
    'output tokens per second of an upstream; the median throughput of the highest bin of its operating curve whose pooled TTFT p95 and TPOT p95 meet the targets',
  description:
    'How much of what this engine can give within its targets is in use. The maximum is known after 30 windows and 200 first tokens in a bin; absent where no bin meets the targets.',
  whenBad: 'At the maximum: more load breaks the targets. Add a GPU, or loosen them.',
  queries: [
    { expr: UPSTREAM_THROUGHPUT, legend: '{{upstream}}' },
    { expr: MAX_THROUGHPUT, legend: 'max {{upstream}} · {{workload}}' },
  ],
};

export const CONCURRENCY_AT_MAX: TimeSeriesPanel = {
  kind: 'timeseries',
  title: 'Concurrency, and that of the maximum under SLO',
  unit: 'count',
  width: 8,
  height: 8,
  targets: ['max'],
  formula: 'mean concurrency of an upstream; the concurrency of the bin with its max throughput under SLO',
  description: 'The number to cap at. Over the line the targets are missed, below it there is room.',
  whenBad: 'Over the line: lower `max_connections` or the client’s parallelism, or add a GPU.',
  queries: [
    { expr: UPSTREAM_CONCURRENCY, legend: '{{upstream}}' },
    { expr: MAX_CONCURRENCY, legend: 'max {{upstream}} · {{workload}}' },
  ],
};

export const BUSY: TimeSeriesPanel = {
  kind: 'timeseries',
  title: 'Busy share of each upstream',
  unit: 'ratio',
  width: 8,
  height: 8,
  most: 1,
  formula: 'time with at least one request in flight ÷ time; over replicas, the busiest',
  description: 'Busy is not full: one request keeps it at 100 %. What is missing to 100 % was paid for and not used.',
  whenBad: 'Low all day: fewer GPUs, or batch work for the night.',
  queries: [{ expr: BUSY_SHARE, legend: '{{upstream}}' }],
};
