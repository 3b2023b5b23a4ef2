import { LATENCY } from '../../src/metrics/catalog/latency.ts';
import { UPSTREAM_CONCURRENCY, UPSTREAM_THROUGHPUT } from './floor.ts';
import type { XyPanel } from './panel.ts';
import { quantile } from './promql.ts';

/** The operating curve as its points: each is one window of the range shown, all of an upstream's models together. */
export const CONCURRENCY_TO_THROUGHPUT: XyPanel = {
  kind: 'xy',
  title: 'Operating curve: throughput over concurrency',
  unit: 'tokensPerSecond',
  width: 12,
  height: 10,
  leastStep: '10s',
  x: { title: 'concurrency', unit: 'count' },
  y: { title: 'system throughput', unit: 'tokensPerSecond' },
  formula: 'x: mean concurrency of an upstream, all phases; y: its output tokens per second; a point for each window',
  description:
    'What more requests at once still bring. It rises, bends and goes flat: behind the bend only the queue grows. Points off the curve are other lengths, or windows in which concurrency changed.',
  whenBad:
    'Points far right of the bend: too much is sent to this upstream; cap its concurrency or add a GPU. The whole cloud lower than yesterday: the engine became slower.',
  queries: [
    { expr: UPSTREAM_CONCURRENCY, legend: '{{upstream}}' },
    { expr: UPSTREAM_THROUGHPUT, legend: '{{upstream}}' },
  ],
};

export const THROUGHPUT_TO_SPEED: XyPanel = {
  kind: 'xy',
  title: 'The trade: per-user speed over system throughput',
  unit: 'tokensPerSecond',
  width: 12,
  height: 10,
  leastStep: '10s',
  x: { title: 'system throughput', unit: 'tokensPerSecond' },
  y: { title: 'per-user speed p50', unit: 'tokensPerSecond' },
  formula:
    'x: output tokens per second of an upstream; y: the median of 1 ÷ TPOT of its requests; a point for each window',
  description:
    'Throughput for all is bought with the speed of each. Up and to the right is better; where it drops steeply, the last tokens per second are dear.',
  whenBad:
    'Too low for your users: move left on the curve, by fewer requests at once. The curve itself fell: see conditions and lengths.',
  queries: [
    { expr: UPSTREAM_THROUGHPUT, legend: '{{upstream}}' },
    { expr: quantile(0.5, LATENCY.userSpeed, ['upstream']), legend: '{{upstream}}' },
  ],
};
