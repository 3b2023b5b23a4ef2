import { CAPACITY } from '../../../src/metrics/catalog/capacity.ts';
import { TOKENS } from '../../../src/metrics/catalog/tokens.ts';
import { UPSTREAM_THROUGHPUT } from '../floor.ts';
import type { Panel, Row } from '../panel.ts';
import { configured, increase, over, rate, selected, sum } from '../promql.ts';
import { GPU_DOLLARS_PER_SECOND, IDLE_DOLLARS_PER_HOUR } from './dollars.ts';

const COURSE: readonly Panel[] = [
  {
    kind: 'timeseries',
    title: 'Cost per million output tokens, over time',
    unit: 'dollars',
    width: 12,
    height: 8,
    isLogarithmic: true,
    leastStep: '10s',
    targets: ['reference'],
    formula:
      'GPU dollars per second ÷ output tokens per second × 10⁶, by upstream; the reference price of output by model',
    description:
      'Falls as load rises, until the curve is flat. Absent while nothing flows. The reference is for output alone: whole requests are compared beside.',
    whenBad: 'Above the reference all day: see how many GPUs this load needs.',
    queries: [
      { expr: `1e6 * ${over(GPU_DOLLARS_PER_SECOND, UPSTREAM_THROUGHPUT, ['upstream'])}`, legend: '{{upstream}}' },
      {
        expr: `max by (model) (${selected(CAPACITY.referencePrice, { where: ['kind="output"'] })})`,
        legend: 'reference {{model}}',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Dollars per hour: GPUs, and the same tokens elsewhere',
    unit: 'dollars',
    width: 12,
    height: 8,
    leastStep: '10s',
    targets: ['elsewhere'],
    formula: 'rate of GPU dollars × 3,600; rate of reference dollars × 3,600',
    description: 'Where the lines cross, the own GPUs begin to pay.',
    whenBad: 'Never crosses: either fewer GPUs or the API.',
    queries: [
      { expr: `3600 * ${sum(GPU_DOLLARS_PER_SECOND)}`, legend: 'GPUs' },
      { expr: `3600 * ${sum(rate(CAPACITY.referenceCost, { unfiltered: ['model'] }))}`, legend: 'elsewhere' },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Idle GPU cost per hour',
    unit: 'dollars',
    width: 8,
    height: 7,
    leastStep: '10s',
    formula: '(1 − busy share) × gpus × price, by upstream',
    description: 'What is paid while nothing is in flight.',
    whenBad: 'Nights and weekends: scale down, or run batches then.',
    queries: [{ expr: IDLE_DOLLARS_PER_HOUR, legend: '{{upstream}}' }],
  },
  {
    kind: 'bars',
    title: 'Output tokens by model and workload',
    unit: 'tokens',
    width: 8,
    height: 7,
    formula: 'increase of output tokens over the range, by model and workload; those with any',
    description: 'What the GPUs worked for.',
    whenBad: 'A workload you can do without at this price.',
    queries: [
      {
        expr: `${sum(increase(TOKENS.outputTokens, { unfiltered: ['workload'] }), ['model', 'workload'])} > 0`,
        legend: '{{model}} · {{workload}}',
      },
    ],
  },
  {
    kind: 'table',
    title: 'Prices, as configured',
    unit: 'dollars',
    width: 8,
    height: 7,
    columns: [{ title: '$ per million', unit: 'dollars' }],
    formula:
      'the reference price of each model seen, by kind of token; cached input as input where it has none of its own',
    description: 'What the comparisons rest on. The price of a GPU hour is shown as its rate above.',
    whenBad: 'Old prices: change `models[].reference_price` and reload.',
    queries: [{ expr: configured(CAPACITY.referencePrice), legend: '{{model}} {{kind}}' }],
  },
];

export const COST_COURSE: Row = { title: 'Dollars over time', panels: COURSE };
