import { REQUESTS } from '../../../src/metrics/catalog/requests.ts';
import { TOKENS } from '../../../src/metrics/catalog/tokens.ts';
import { UPSTREAMS } from '../../../src/metrics/catalog/upstreams.ts';
import { FAILED } from '../failures.ts';
import type { Panel, Row } from '../panel.ts';
import { max, over, rate, selected, sum } from '../promql.ts';

const ENDINGS: readonly Panel[] = [
  {
    kind: 'timeseries',
    title: 'Finished requests by outcome',
    unit: 'requestsPerSecond',
    width: 12,
    height: 8,
    isStacked: true,
    formula: 'finished requests per second; every request has exactly one outcome',
    description:
      'How requests end: complete, left by the client, cut, refused, or failed in the upstream. Series start at zero, so a first failure shows.',
    whenBad:
      'truncated: the engine or a proxy closes early. upstream_reset, _timeout, _unreachable: engine or network. rejected: draining, or no upstream matches.',
    queries: [{ expr: sum(rate(REQUESTS.requests), ['outcome']), legend: '{{outcome}}' }],
  },
  {
    kind: 'timeseries',
    title: 'Failed share by upstream',
    unit: 'ratio',
    width: 6,
    height: 8,
    formula: 'failed requests ÷ finished requests; 4xx (but 429) and clients that left are no failures',
    description: 'Which upstream fails, as a share of what it was sent.',
    whenBad: 'One upstream: take it out and look at its log. All: what do they share?',
    queries: [
      {
        expr: over(
          sum(rate(REQUESTS.requests, { where: FAILED }), ['upstream']),
          sum(rate(REQUESTS.requests), ['upstream']),
          ['upstream'],
        ),
        legend: '{{upstream}}',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Finished requests by status',
    unit: 'requestsPerSecond',
    width: 6,
    height: 8,
    isStacked: true,
    formula: 'finished requests per second by the status sent to the client; 499: it left before any',
    description: 'As clients see it. An error inside a stream has status 200: the outcomes show it.',
    whenBad: '429 or 503: the engine refuses, it is full. 4xx: a client sends what the engine does not take.',
    queries: [{ expr: sum(rate(REQUESTS.requests), ['status']), legend: '{{status}}' }],
  },
];

const LOSSES: readonly Panel[] = [
  {
    kind: 'timeseries',
    title: 'Tokens for nobody, by reason',
    unit: 'tokensPerSecond',
    width: 8,
    height: 7,
    isStacked: true,
    formula: 'output tokens per second of requests whose client left, that failed, or were cut',
    description: 'Produced and paid for, used by nobody.',
    whenBad: 'client_aborted: users give up; see TTFT and gaps. Pitot stops the engine at once when a client leaves.',
    queries: [{ expr: sum(rate(TOKENS.wastedOutputTokens), ['reason']), legend: '{{reason}}' }],
  },
  {
    kind: 'state',
    title: 'Upstreams',
    unit: 'boolean',
    width: 8,
    height: 7,
    words: { zero: 'down', one: 'up', isOneGood: true },
    formula: '1 after any HTTP answer, 0 after a failed attempt; the best of all replicas',
    description: 'Told by real requests, not by probes: absent before the first one.',
    whenBad: 'Down: the engine cannot be reached (DNS, connect, TLS). Its process, its port, the network between.',
    queries: [{ expr: max(selected(UPSTREAMS.upstreamUp), ['upstream']), legend: '{{upstream}}' }],
  },
  {
    kind: 'table',
    title: 'Last word of each upstream',
    unit: 'age',
    width: 8,
    height: 7,
    columns: [
      { title: 'since its last answer', unit: 'age' },
      { title: 'since its last failure', unit: 'age' },
    ],
    formula: 'now − the last time that the upstream gave any HTTP answer; that it could not be reached',
    description: 'How long ago each upstream was last heard of. No failure is listed before the first one.',
    whenBad: 'Long, with requests in flight: it accepts and does not answer.',
    queries: [
      { expr: `time() - ${max(selected(UPSTREAMS.upstreamLastSuccess), ['upstream'])}`, legend: '{{upstream}}' },
      { expr: `time() - ${max(selected(UPSTREAMS.upstreamLastFailure), ['upstream'])}`, legend: '{{upstream}}' },
    ],
  },
];

export const OUTCOMES: Row = { title: 'How requests end', panels: [...ENDINGS, ...LOSSES] };
