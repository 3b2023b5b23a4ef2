import { LATENCY } from '../../../src/metrics/catalog/latency.ts';
import { REQUESTS } from '../../../src/metrics/catalog/requests.ts';
import type { Panel, Row } from '../panel.ts';
import { increase, quantile, sum } from '../promql.ts';
import { HIGH, quantileQueries } from '../quantiles.ts';

const TIMES: readonly Panel[] = [
  {
    kind: 'timeseries',
    title: 'TPOT: p50, p95, p99',
    unit: 'seconds',
    width: 8,
    height: 7,
    leastStep: '10s',
    formula: '(last token − first token) ÷ (visible output tokens − 1), per request',
    description: 'The time one token takes: the inverse of per-user speed, as benchmarks report it.',
    whenBad: 'As for per-user speed.',
    queries: quantileQueries(LATENCY.timePerOutputToken, HIGH),
  },
  {
    kind: 'timeseries',
    title: 'Longest gap of a request: p50, p95, p99',
    unit: 'seconds',
    width: 8,
    height: 7,
    leastStep: '10s',
    formula: 'the longest pause between two output chunks of each request; its quantiles',
    description: 'What a mean hides: an answer that froze in the middle.',
    whenBad: 'Prefills of long prompts push decodes aside (chunked prefill), preemption, or a stalled network.',
    queries: quantileQueries(LATENCY.longestGap, HIGH),
  },
  {
    kind: 'timeseries',
    title: 'E2E: p50, p95, p99',
    unit: 'seconds',
    width: 8,
    height: 7,
    leastStep: '10s',
    formula: 'request head received → last byte relayed, or the moment it was cut',
    description: 'The whole request, streamed or not: depends on the length of the answer more than on anything else.',
    whenBad: 'Compare with output lengths before blaming the engine.',
    queries: quantileQueries(REQUESTS.requestDuration, HIGH),
  },
];

const APART: readonly Panel[] = [
  {
    kind: 'heatmap',
    title: 'TTFT, all of it',
    unit: 'events',
    bucketUnit: 'seconds',
    width: 12,
    height: 8,
    leastStep: '10s',
    formula: 'first tokens by how long they took, per step',
    description: 'Two bands are two kinds of requests, which no quantile shows: cached and not, short and long.',
    whenBad: 'A second band above the first: find what its requests have in common (model, workload, prompt length).',
    queries: [
      {
        expr: sum(increase(LATENCY.timeToFirstToken, { window: '$__rate_interval' }, '_bucket'), ['le']),
        legend: '{{le}}',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'First byte, first token, first answer: p95',
    unit: 'seconds',
    width: 6,
    height: 8,
    leastStep: '10s',
    formula: 'p95 of TTFB, TTFT and TTFA, each from the request body received',
    description:
      'Answer − token: reasoning that the user waits through. First bytes are of unstreamed answers too, which come when all is done: where there are many, that line is their duration.',
    whenBad: 'Answer far above token: the model thinks long; shorten its reasoning.',
    queries: [
      { expr: quantile(0.95, LATENCY.timeToFirstByte), legend: 'first byte' },
      { expr: quantile(0.95, LATENCY.timeToFirstToken), legend: 'first token' },
      { expr: quantile(0.95, LATENCY.timeToFirstAnswer), legend: 'first answer' },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Between chunks: p50, p95, p99',
    unit: 'seconds',
    width: 6,
    height: 8,
    leastStep: '10s',
    formula: 'gaps between consecutive output chunks, pooled over requests',
    description: 'Smoothness. A chunk may hold several tokens, so this is no time per token.',
    whenBad: 'p99 far above p50: steps of very different length; see the longest gap.',
    queries: quantileQueries(LATENCY.interChunk, HIGH),
  },
];

export const SPEED: Row = { title: 'The time of a request, taken apart', panels: [...TIMES, ...APART] };
