import { GATEWAY } from '../../../src/metrics/catalog/gateway.ts';
import { REQUESTS } from '../../../src/metrics/catalog/requests.ts';
import { TOKENS } from '../../../src/metrics/catalog/tokens.ts';
import { UPSTREAMS } from '../../../src/metrics/catalog/upstreams.ts';
import type { Panel, Row } from '../panel.ts';
import { max, quantile, rate, selected, sum } from '../promql.ts';

const COUNTS: readonly Panel[] = [
  {
    kind: 'timeseries',
    title: 'Where output counts come from',
    unit: 'requestsPerSecond',
    width: 8,
    height: 7,
    isStacked: true,
    formula: 'finished generations per second by usage source',
    description:
      '`reported` is the engine’s final word, `partial` its running count of a cut stream, `estimated` ours, `none` could not be counted.',
    whenBad:
      'estimated grows: the upstream is not asked for usage, or refuses it; see the asks. none: its format is not read, see the degraded events.',
    queries: [{ expr: sum(rate(REQUESTS.meteredRequests), ['source']), legend: '{{source}}' }],
  },
  {
    kind: 'timeseries',
    title: 'How far live counts were off',
    unit: 'ratio',
    width: 8,
    height: 7,
    leastStep: '10s',
    formula: 'tokens added, or withheld, when the final count came ÷ output tokens',
    description:
      'The error of the live figures above while streams run; final counts are exact. About half a percent is held back on purpose.',
    whenBad:
      'Over a few percent: a new model or language is being learned; it settles within some requests. If not, its engine counts otherwise than it streams.',
    queries: [
      {
        expr: `sum by (direction) (${rate(TOKENS.settledTokens)}) / ignoring (direction) group_left () (${sum(rate(TOKENS.outputTokens, { unfiltered: ['workload'] }))} > 0)`,
        legend: '{{direction}}',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Tokens counted too early',
    unit: 'tokens',
    width: 8,
    height: 7,
    formula: 'tokens that the counter holds too much and the next ones will absorb, by model',
    description: 'The counter less this is exact whenever nothing runs. It never falls, so it waits.',
    whenBad: 'Stays high: that model gets no more requests to absorb it; harmless, but subtract it from totals.',
    queries: [
      { expr: sum(selected(TOKENS.withheldTokens), ['upstream', 'model']), legend: '{{upstream}} · {{model}}' },
    ],
  },
];

const EARS: readonly Panel[] = [
  {
    kind: 'timeseries',
    title: 'Asking for usage',
    unit: 'requestsPerSecond',
    width: 8,
    height: 7,
    isStacked: true,
    formula: 'requests in which Pitot asked the upstream for usage, by what came of it',
    description: 'Only where the client did not ask itself. Absent for upstreams that are never asked.',
    whenBad:
      'refused or ignored: set `usage: never` for this upstream and expect estimates. compressed: let the client not ask for gzip.',
    queries: [{ expr: sum(rate(UPSTREAMS.usageAsks), ['result']), legend: '{{result}}' }],
  },
  {
    kind: 'timeseries',
    title: 'Metering gave up',
    unit: 'eventsPerSecond',
    width: 8,
    height: 7,
    formula: 'events or bodies that could not be metered, per second, by reason; the relay went on',
    description: 'Everything here is missing or estimated in the figures above.',
    whenBad:
      'unparsed_event or bad_usage: the upstream speaks a dialect that is not read; report it. meter_error: a fault of Pitot; report it.',
    queries: [{ expr: sum(rate(GATEWAY.meterDegraded), ['reason']), legend: '{{reason}}' }],
  },
  {
    kind: 'timeseries',
    title: 'Usage records, written and lost',
    unit: 'eventsPerSecond',
    width: 8,
    height: 7,
    formula: 'usage records per second that reached the usage log; that did not',
    description: 'Zero without a usage log. Each finished request writes one record.',
    whenBad: 'lost above zero: the disk is full or too slow. What is lost stays lost: fix it now.',
    queries: [
      { expr: sum(rate(GATEWAY.usageRecords)), legend: 'written' },
      { expr: sum(rate(GATEWAY.usageRecordsDropped)), legend: 'lost' },
    ],
  },
];

const RELAY: readonly Panel[] = [
  {
    kind: 'timeseries',
    title: 'Relay delay: p50, p99',
    unit: 'seconds',
    width: 8,
    height: 7,
    leastStep: '10s',
    formula: 'chunk read from the upstream → handed to the client’s socket',
    description: 'What Pitot itself adds to each chunk.',
    whenBad: 'p99 over a few milliseconds: the process is short of CPU. More workers, or a bigger share.',
    queries: [
      { expr: quantile(0.5, GATEWAY.relayDelay), legend: 'p50' },
      { expr: quantile(0.99, GATEWAY.relayDelay), legend: 'p99' },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Event-loop lag p99',
    unit: 'seconds',
    width: 8,
    height: 7,
    formula:
      'how late the event loop turned to what was due, p99 of the last 25 to 30 s, of the worst process of each instance',
    description: 'Times are taken when the loop turns: they are true to about this much.',
    whenBad: 'Over 50 ms: TTFT and gaps are that uncertain. Raise `workers`, or give it a core of its own.',
    queries: [{ expr: max(selected(GATEWAY.eventLoopLagP99), ['instance']), legend: '{{instance}}' }],
  },
  {
    kind: 'timeseries',
    title: 'Streams waiting for slow clients',
    unit: 'count',
    width: 8,
    height: 7,
    formula: 'time in which answers waited for a client that read slowly, per second: streams that wait, on average',
    description:
      'Not the engine’s fault: requests blocked for over 5 % of their decode time stay out of speeds, gaps, curves and SLOs.',
    whenBad: 'High: many figures rest on fewer requests than shown. A slow network, or a client that does not read.',
    queries: [{ expr: sum(rate(UPSTREAMS.clientBlockedSeconds), ['upstream']), legend: '{{upstream}}' }],
  },
];

export const INSTRUMENT: Row = {
  title: 'Is the instrument still true?',
  panels: [...COUNTS, ...EARS, ...RELAY],
};
