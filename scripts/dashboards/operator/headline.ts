import { LATENCY } from '../../../src/metrics/catalog/latency.ts';
import { REQUESTS } from '../../../src/metrics/catalog/requests.ts';
import { TOKENS } from '../../../src/metrics/catalog/tokens.ts';
import { UPSTREAMS } from '../../../src/metrics/catalog/upstreams.ts';
import type { Panel, Row } from '../panel.ts';
import { configured, over, quantile, rate, selected, sum } from '../promql.ts';
import { quantileQueries } from '../quantiles.ts';
import { VITALS } from './vitals.ts';

/** The two figures that a change of engine, model or load is judged by. */
const BIG: readonly Panel[] = [
  {
    kind: 'stat',
    title: 'System throughput',
    unit: 'tokensPerSecond',
    width: 8,
    height: 6,
    isTrend: true,
    formula: 'output tokens emitted in a window ÷ the window, over all requests; per GPU: ÷ the configured `gpus`',
    description:
      'Output tokens per second of everything selected, and of one GPU. Live: it moves while streams run. Depends on concurrency and lengths, shown below: compare only like with like. Per GPU needs `gpus` of the upstream, and sums over all its models.',
    whenBad:
      'Look at concurrency first: without demand it is no fault. With demand, compare with the floor and with the operating curve below; then at the engine (queue, preemptions, a lost GPU).',
    queries: [
      { expr: sum(rate(TOKENS.outputTokens)), legend: 'all' },
      {
        expr: over(
          sum(rate(TOKENS.outputTokens, { unfiltered: ['model', 'workload'] })),
          sum(configured(UPSTREAMS.upstreamGpus)),
        ),
        legend: 'per GPU',
      },
    ],
  },
  {
    kind: 'stat',
    title: 'Per-user speed',
    unit: 'tokensPerSecond',
    width: 8,
    height: 6,
    isTrend: true,
    leastStep: '10s',
    formula: '1 ÷ TPOT of each request that ended in the window; p50 and p10 of all of them',
    description:
      'How fast one user sees text appear: the median, and the speed that nine of ten requests exceed. Low is bad. Without requests whose client read slowly.',
    whenBad:
      'Below about 10 tok/s people read faster than the answer comes. Too much concurrency for the engine: see the operating curve; lower it, or add a GPU.',
    queries: quantileQueries(LATENCY.userSpeed, [0.5, 0.1]),
  },
  {
    kind: 'stat',
    title: 'TTFT p95',
    unit: 'seconds',
    width: 4,
    height: 6,
    isTrend: true,
    leastStep: '10s',
    formula: 'request body received → first event with generated payload; p95 of streamed requests',
    description: 'How long one user in twenty waits for the first token at least: queue and prefill.',
    whenBad: 'Compare prefill concurrency and input lengths: requests queue, or prompts grew.',
    queries: [{ expr: quantile(0.95, LATENCY.timeToFirstToken), legend: 'p95' }],
  },
  {
    kind: 'stat',
    title: 'In flight',
    unit: 'events',
    width: 4,
    height: 6,
    isTrend: true,
    formula: 'generations in flight now, all phases',
    description: 'Concurrency at this moment: waiting, decoding and unstreamed generations.',
    whenBad: 'At zero, nothing arrives: look at what stands before Pitot. Rising without end: the engine is behind.',
    queries: [{ expr: sum(selected(REQUESTS.requestsInFlight)), legend: 'in flight' }],
  },
];

export const HEADLINE: Row = { title: null, panels: [...BIG, ...VITALS] };
