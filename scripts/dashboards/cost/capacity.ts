import { UPSTREAMS } from '../../../src/metrics/catalog/upstreams.ts';
import { BUSY, CONCURRENCY_AT_MAX, MAX_THROUGHPUT, MAX_UNDER_SLO } from '../capacity.ts';
import { CONCURRENCY_TO_THROUGHPUT, THROUGHPUT_TO_SPEED } from '../curve.ts';
import { UPSTREAM_THROUGHPUT } from '../floor.ts';
import type { Panel, Row } from '../panel.ts';
import { configured, over } from '../promql.ts';

/** Throughput of the best five minutes of the range, by upstream. */
const BEST = `max_over_time(${UPSTREAM_THROUGHPUT.replace('$__rate_interval', '5m')}[$__range:1m])`;

const ROOM: readonly Panel[] = [
  {
    kind: 'timeseries',
    title: 'GPUs needed at this rate',
    unit: 'gpus',
    width: 12,
    height: 8,
    leastStep: '10s',
    targets: ['configured'],
    formula: 'output tokens per second ÷ (max throughput under SLO ÷ gpus); the configured gpus',
    description:
      'How many GPUs like these would serve the present load within its targets. Absent until the maximum is known. `pitot plan` does the same for a day’s tokens.',
    whenBad: 'Over the configured number: targets are missed at this load.',
    queries: [
      {
        expr: `${UPSTREAM_THROUGHPUT} * on (upstream) (${configured(UPSTREAMS.upstreamGpus)}) / on (upstream) group_right () (${MAX_THROUGHPUT} > 0)`,
        legend: 'needed {{upstream}} · {{workload}}',
      },
      { expr: configured(UPSTREAMS.upstreamGpus), legend: 'configured {{upstream}}' },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Now, against the best five minutes',
    unit: 'share',
    width: 12,
    height: 8,
    leastStep: '10s',
    formula: 'output tokens per second ÷ the highest five-minute mean of the range, by upstream',
    description:
      'How far the present load is from the heaviest that was really served: room that needs no model of the engine.',
    whenBad: 'Near 100 % for hours: there is no room for a peak.',
    queries: [{ expr: over(UPSTREAM_THROUGHPUT, BEST, ['upstream']), legend: '{{upstream}}' }],
  },
];

export const COST_CAPACITY: Row = {
  title: 'Capacity',
  panels: [CONCURRENCY_TO_THROUGHPUT, THROUGHPUT_TO_SPEED, MAX_UNDER_SLO, CONCURRENCY_AT_MAX, BUSY, ...ROOM],
};
