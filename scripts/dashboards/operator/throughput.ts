import { CAPACITY } from '../../../src/metrics/catalog/capacity.ts';
import { REQUESTS } from '../../../src/metrics/catalog/requests.ts';
import { TOKENS } from '../../../src/metrics/catalog/tokens.ts';
import { UPSTREAMS } from '../../../src/metrics/catalog/upstreams.ts';
import { UPSTREAM_THROUGHPUT } from '../floor.ts';
import type { Panel, Row } from '../panel.ts';
import { configured, max, over, quantile, rate, selected, sum } from '../promql.ts';

const OUTPUT: readonly Panel[] = [
  {
    kind: 'timeseries',
    title: 'Throughput per GPU',
    unit: 'tokensPerSecond',
    width: 8,
    height: 7,
    formula: 'output tokens per second of an upstream, all models ÷ its configured `gpus`',
    description:
      'What one GPU gives. Needs `gpus` of the upstream. Comparable only at equal conditions and concurrency.',
    whenBad: 'One upstream below its peers under the same load: look at its conditions, clocks and neighbours.',
    queries: [
      { expr: over(UPSTREAM_THROUGHPUT, configured(UPSTREAMS.upstreamGpus), ['upstream']), legend: '{{upstream}}' },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Throughput against its floor',
    unit: 'tokensPerSecond',
    width: 8,
    height: 7,
    targets: ['floor'],
    formula: 'output tokens per second of an upstream; its configured floor',
    description: 'The floor counts only from its minimum concurrency on: below that, a low line is a quiet hour.',
    whenBad:
      'Below the floor with demand: the engine gives less than it did. Restart, driver, noisy neighbour, other lengths.',
    queries: [
      { expr: UPSTREAM_THROUGHPUT, legend: '{{upstream}}' },
      { expr: configured(CAPACITY.floorThroughput), legend: 'floor {{upstream}}' },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Effective and active throughput (60 s)',
    unit: 'tokensPerSecond',
    width: 8,
    height: 7,
    formula:
      'output tokens of the last 60 s ÷ 60 s (effective), or ÷ the part of it in which something decoded (active)',
    description:
      'Far apart: the engine idles between requests. Active is the highest over replicas and models, never for plans or alerts.',
    whenBad: 'Low effective with high active is missing demand. Both low is a slow engine.',
    queries: [
      {
        expr: sum(selected(TOKENS.throughput, { where: ['window="60s"', 'mode="effective"'] }), ['upstream']),
        legend: 'effective {{upstream}}',
      },
      {
        expr: max(selected(TOKENS.throughput, { where: ['window="60s"', 'mode="active"'] }), ['upstream']),
        legend: 'active {{upstream}}',
      },
    ],
  },
];

const PREFILL: readonly Panel[] = [
  {
    kind: 'timeseries',
    title: 'Prefill: input tokens, by cache',
    unit: 'tokensPerSecond',
    width: 8,
    height: 7,
    isStacked: true,
    formula: 'input tokens per second of finished requests, by what the upstream says of its prompt cache',
    description:
      'The work before the first token. `hit` cost the GPU nothing; `unknown` is what the upstream does not tell apart.',
    whenBad: 'Hits fall: prompts lost their common beginning, or requests are spread over engines without affinity.',
    queries: [{ expr: sum(rate(TOKENS.inputTokens), ['cache']), legend: '{{cache}}' }],
  },
  {
    kind: 'timeseries',
    title: 'Prefill speed (lower bound)',
    unit: 'tokensPerSecond',
    width: 8,
    height: 7,
    leastStep: '10s',
    formula:
      'rate of input tokens not known to be cached ÷ rate of prefill seconds, of streamed and unstreamed alike in the tokens',
    description:
      'Prompt tokens per second of one waiting request. Holds its queueing, which a proxy cannot part from prefill: a lower bound.',
    whenBad: 'Falls while input stays: requests queue. Compare with concurrency by phase.',
    queries: [
      {
        expr: over(
          sum(rate(TOKENS.inputTokens, { where: ['cache!="hit"'] })),
          sum(rate(REQUESTS.requestPhaseSeconds, { where: ['phase="prefill"'] })),
        ),
        legend: 'prefill',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Lengths of prompts and answers',
    unit: 'tokens',
    width: 8,
    height: 7,
    leastStep: '10s',
    isLogarithmic: true,
    formula: 'p50 and p95 of input and output tokens of finished generations',
    description: 'The conditions of every throughput above: longer answers raise it, longer prompts lower it.',
    whenBad: 'Throughput changed and lengths did too: it is another load, not another engine.',
    queries: [
      { expr: quantile(0.5, TOKENS.requestInputTokens), legend: 'input p50' },
      { expr: quantile(0.95, TOKENS.requestInputTokens), legend: 'input p95' },
      { expr: quantile(0.5, TOKENS.requestOutputTokens), legend: 'output p50' },
      { expr: quantile(0.95, TOKENS.requestOutputTokens), legend: 'output p95' },
    ],
  },
];

const CONDITIONS: readonly Panel[] = [
  {
    kind: 'timeseries',
    title: 'Reasoning, of the output',
    unit: 'ratio',
    width: 8,
    height: 7,
    leastStep: '10s',
    formula: 'reasoning tokens of finished requests ÷ output tokens',
    description: 'How much of the output is thought and not read. Part of the throughput, and of what users wait for.',
    whenBad: 'Rises: a model or a prompt that thinks longer. Set its reasoning effort.',
    queries: [
      {
        expr: over(sum(rate(TOKENS.reasoningTokens)), sum(rate(TOKENS.outputTokens, { unfiltered: ['workload'] }))),
        legend: 'reasoning',
      },
    ],
  },
  {
    kind: 'table',
    title: 'Upstreams and their conditions',
    unit: 'gpus',
    width: 16,
    height: 7,
    hidden: ['job', 'instance'],
    columns: [null],
    formula: 'the configured `conditions` and the recognised engine of each upstream',
    description: 'What the throughputs above hold for. Nothing that differs here may be compared without saying so.',
    whenBad: 'Engine `auto` or conditions missing: write them into the configuration.',
    queries: [
      {
        expr: `max without (instance, pod, namespace, service, endpoint, container) (${selected(UPSTREAMS.upstreamInfo)})`,
        legend: '{{upstream}}',
      },
    ],
  },
];

export const THROUGHPUT: Row = {
  title: 'What the throughput holds for',
  panels: [...OUTPUT, ...PREFILL, ...CONDITIONS],
};
