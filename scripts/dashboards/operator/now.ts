import { LATENCY } from '../../../src/metrics/catalog/latency.ts';
import { REQUESTS } from '../../../src/metrics/catalog/requests.ts';
import { TOKENS } from '../../../src/metrics/catalog/tokens.ts';
import type { Panel, Row } from '../panel.ts';
import { rate, selected, sum } from '../promql.ts';
import { HIGH, LOW, quantileQueries } from '../quantiles.ts';

const MODEL = ['upstream', 'model'] as const;

/** How much, how fast, under which load: the four courses that explain each other. */
const COURSES: readonly Panel[] = [
  {
    kind: 'timeseries',
    title: 'System throughput by upstream and model',
    unit: 'tokensPerSecond',
    width: 12,
    height: 8,
    isStacked: true,
    formula: 'output tokens per second, by upstream and model; models that never gave a token are left out',
    description: 'Where the output comes from. Stacked: the upper edge is the whole.',
    whenBad: 'One colour gone while its concurrency stays: that model is stalled. All gone: see concurrency.',
    queries: [
      {
        expr: `${sum(rate(TOKENS.outputTokens), MODEL)} and on (upstream, model) (${sum(selected(TOKENS.outputTokens), MODEL)} > 0)`,
        legend: '{{upstream}} · {{model}}',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Per-user speed: p50, p10, p1',
    unit: 'tokensPerSecond',
    width: 12,
    height: 8,
    leastStep: '10s',
    formula: 'quantiles of 1 ÷ TPOT, over the requests that ended in the window',
    description:
      'Low is bad, so the lines to watch are p10 and p1: nine, and ninety-nine, of a hundred users were faster.',
    whenBad:
      'All lines fall with concurrency: the engine shares itself. p1 alone: single requests stall, see the longest gap.',
    queries: quantileQueries(LATENCY.userSpeed, LOW),
  },
  {
    kind: 'timeseries',
    title: 'Concurrency by phase',
    unit: 'count',
    width: 12,
    height: 8,
    isStacked: true,
    formula: 'rate of the integral of generations in flight, by phase: the mean number of them in each window',
    description:
      '`prefill` waits for its first token (queue and prefill), `decode` receives tokens, `unstreamed` is a whole answer at once, in either. Exact between scrapes, unlike a gauge.',
    whenBad: 'Prefill grows: requests queue. Decode flat at one height: all slots of the engine are taken.',
    queries: [{ expr: sum(rate(REQUESTS.requestPhaseSeconds), ['phase']), legend: '{{phase}}' }],
  },
  {
    kind: 'timeseries',
    title: 'TTFT: p50, p95, p99',
    unit: 'seconds',
    width: 12,
    height: 8,
    leastStep: '10s',
    formula: 'request body received → first event with generated payload in any channel; streamed answers',
    description: 'Time to the first token: queue and prefill. Reasoning counts, a role or an empty delta does not.',
    whenBad: 'p99 leaves p50: some queue behind long prompts. All rise: more than the engine has slots for.',
    queries: quantileQueries(LATENCY.timeToFirstToken, HIGH),
  },
];

export const NOW: Row = { title: 'How much, how fast, under which load', panels: COURSES };
