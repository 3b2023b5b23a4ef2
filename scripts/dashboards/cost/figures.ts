import { TOKENS } from '../../../src/metrics/catalog/tokens.ts';
import { UPSTREAMS } from '../../../src/metrics/catalog/upstreams.ts';
import { BUSY_SHARE } from '../capacity.ts';
import type { Panel, Row } from '../panel.ts';
import { configured, increase, over, rate, sum } from '../promql.ts';
import { GPU_DOLLARS, GPU_DOLLARS_PER_HOUR, IDLE_DOLLARS, PAID_TOKENS, REFERENCE_DOLLARS } from './dollars.ts';

const RANGE = { window: '$__range' } as const;
const EVERY = { unfiltered: ['model', 'workload'] } as const;

const BIG: readonly Panel[] = [
  {
    kind: 'stat',
    title: 'Cost per million output tokens',
    unit: 'dollars',
    width: 6,
    height: 5,
    isTrend: false,
    formula: 'GPU dollars over the range ÷ output tokens of the same upstreams × 10⁶',
    description:
      'What a million output tokens really cost, idle time included. Holds for the load of this range: more of it makes each token cheaper. Needs `gpus` and `gpu_price_per_hour`.',
    whenBad:
      'High: the GPUs idle (see idle cost) or run left of the bend of their operating curve. Put more load on fewer GPUs.',
    queries: [{ expr: `1e6 * ${over(sum(GPU_DOLLARS), PAID_TOKENS)}`, legend: 'per million' }],
  },
  {
    kind: 'stat',
    title: 'The same tokens elsewhere',
    unit: 'dollars',
    width: 6,
    height: 5,
    isTrend: false,
    formula: 'input, cached input and output tokens × their reference prices, over the range',
    description:
      'What an API with the configured `reference_price` would have taken for the same tokens. Counted when requests end.',
    whenBad: 'Zero with traffic: no `reference_price` matches these models.',
    queries: [{ expr: REFERENCE_DOLLARS, legend: 'reference' }],
  },
  {
    kind: 'stat',
    title: 'GPUs over the range',
    unit: 'dollars',
    width: 6,
    height: 5,
    isTrend: false,
    formula: 'gpus × price × time while Pitot ran, over the range',
    description: 'What the GPUs cost, busy or not.',
    whenBad:
      'Not what your bill says: check `gpus` and `gpu_price_per_hour`. It stands still while Pitot does not run.',
    queries: [{ expr: sum(GPU_DOLLARS), legend: 'GPUs' }],
  },
  {
    kind: 'stat',
    title: 'GPUs against the reference',
    unit: 'share',
    width: 6,
    height: 5,
    isTrend: false,
    steps: [
      { from: null, color: 'green' },
      { from: 1, color: 'orange' },
      { from: 2, color: 'red' },
    ],
    formula: 'GPU dollars ÷ dollars for the same tokens at the reference price',
    description: 'Below 100 % the own GPUs are cheaper than the API, for this load.',
    whenBad: 'Over 100 %: too little load for these GPUs. The capacity row says how many it needs.',
    queries: [{ expr: over(sum(GPU_DOLLARS), REFERENCE_DOLLARS), legend: 'of the reference' }],
  },
];

const SMALL: readonly Panel[] = [
  {
    kind: 'stat',
    title: 'GPUs per hour',
    unit: 'dollars',
    width: 4,
    height: 4,
    isTrend: false,
    formula: 'gpus × price, as configured now',
    description: 'The running rate, whatever is done with it.',
    whenBad: 'See the prices below.',
    queries: [{ expr: sum(GPU_DOLLARS_PER_HOUR), legend: 'per hour' }],
  },
  {
    kind: 'stat',
    title: 'GPU-hours',
    unit: 'hours',
    width: 4,
    height: 4,
    isTrend: false,
    formula: 'the configured GPUs, integrated over the range in steps of a minute',
    description: 'GPUs × hours in which Pitot ran.',
    whenBad: 'More than you rent: an upstream is counted that is not there any more.',
    queries: [
      { expr: `${sum(`sum_over_time(${configured(UPSTREAMS.upstreamGpus)}[$__range:1m])`)} / 60`, legend: 'GPU-hours' },
    ],
  },
  {
    kind: 'stat',
    title: 'Idle GPUs',
    unit: 'dollars',
    width: 4,
    height: 4,
    isTrend: false,
    formula: '(1 − busy share) × gpus × price, integrated over the range',
    description:
      'Paid for while no request was in flight. Over replicas the busiest one counts, so it is an upper bound there.',
    whenBad: 'A large part of the cost: fewer GPUs, batch work for the quiet hours, or scaling to zero.',
    queries: [{ expr: sum(IDLE_DOLLARS), legend: 'idle' }],
  },
  {
    kind: 'stat',
    title: 'Output tokens per day',
    unit: 'tokensPerDay',
    width: 4,
    height: 4,
    isTrend: false,
    formula: 'output tokens per second over the range × 86,400',
    description: 'The figure that `pitot plan` wants, at the rate of this range.',
    whenBad: 'Choose a range of whole days before you plan with it.',
    queries: [{ expr: `86400 * ${sum(rate(TOKENS.outputTokens, { ...EVERY, ...RANGE }))}`, legend: 'per day' }],
  },
  {
    kind: 'stat',
    title: 'Dollars for nobody',
    unit: 'dollars',
    width: 4,
    height: 4,
    isTrend: false,
    formula: 'GPU dollars × (tokens of requests that left, failed or were cut ÷ output tokens), over the range',
    description: 'What the output cost that nobody received.',
    whenBad: 'See the operator dashboard: tokens for nobody, by reason.',
    queries: [
      {
        expr: `${sum(GPU_DOLLARS)} * ${over(
          sum(increase(TOKENS.wastedOutputTokens, { unfiltered: ['model'] })),
          sum(increase(TOKENS.outputTokens, EVERY)),
        )}`,
        legend: 'for nobody',
      },
    ],
  },
  {
    kind: 'stat',
    title: 'Busy',
    unit: 'ratio',
    width: 4,
    height: 4,
    isTrend: false,
    formula: 'time with a request in flight ÷ time, over the range; the mean over upstreams',
    description: 'How much of the paid time was used at all.',
    whenBad: 'Low: the load fits on fewer GPUs, or is not spread over the day.',
    queries: [
      {
        expr: `avg(avg_over_time((${BUSY_SHARE})[$__range:$__interval]))`,
        legend: 'busy',
      },
    ],
  },
];

export const COST_FIGURES: Row = { title: null, panels: [...BIG, ...SMALL] };
