import { GATEWAY } from '../../../src/metrics/catalog/gateway.ts';
import { USERS } from '../../../src/metrics/catalog/users.ts';
import type { Panel, Row } from '../panel.ts';
import { increase, over, rate, sum } from '../promql.ts';

const USER = ['user'] as const;
const top = (expr: string) => `topk(10, ${expr})`;

const COURSE: readonly Panel[] = [
  {
    kind: 'timeseries',
    title: 'Output tokens by user, top 10',
    unit: 'tokensPerSecond',
    width: 12,
    height: 8,
    leastStep: '10s',
    formula: 'output tokens per second of finished requests, by user; the ten highest at each moment',
    description: 'Who the system works for. Counted when a request ends.',
    whenBad: 'One line far above: see its requests and lengths in the table.',
    queries: [{ expr: top(sum(rate(USERS.userOutputTokens), USER)), legend: '{{user}}' }],
  },
  {
    kind: 'timeseries',
    title: 'Requests by user, top 10',
    unit: 'requestsPerSecond',
    width: 12,
    height: 8,
    leastStep: '10s',
    formula: 'finished requests per second, by user; the ten highest at each moment',
    description: 'Failed ones included.',
    whenBad: 'Many requests with few tokens: a client that retries.',
    queries: [{ expr: top(sum(rate(USERS.userRequests), USER)), legend: '{{user}}' }],
  },
  {
    kind: 'timeseries',
    title: 'Streams decoding at once by user, top 10',
    unit: 'count',
    width: 12,
    height: 8,
    leastStep: '10s',
    formula: 'decode seconds of finished requests per second: the mean number of streams that a user has open',
    description:
      'Who holds the slots of the engine. Counted when a request ends, without its wait for the first token.',
    whenBad: 'A user that holds most slots slows all others: limit its parallelism.',
    queries: [{ expr: top(sum(rate(USERS.userDecodeSeconds), USER)), legend: '{{user}}' }],
  },
  {
    kind: 'timeseries',
    title: 'Input tokens by user, top 10',
    unit: 'tokensPerSecond',
    width: 12,
    height: 8,
    leastStep: '10s',
    formula: 'input tokens per second of finished requests, by user; the ten highest at each moment',
    description: 'Who fills the prefill: others wait behind long prompts.',
    whenBad: 'TTFT rises with one user’s input: ask for shorter prompts or a cacheable beginning.',
    queries: [{ expr: top(sum(rate(USERS.userInputTokens), USER)), legend: '{{user}}' }],
  },
];

const SUMS: readonly Panel[] = [
  {
    kind: 'table',
    title: 'Users over the range',
    unit: 'tokens',
    width: 24,
    height: 9,
    columns: [
      { title: 'output tokens', unit: 'tokens' },
      { title: 'input tokens', unit: 'tokens' },
      { title: 'requests', unit: 'events' },
      { title: 'output tokens per request', unit: 'tokens' },
      { title: 'decode speed', unit: 'tokensPerSecond' },
    ],
    formula:
      'sums over the range by user; output ÷ requests; output ÷ decode time (see its panel for what it leaves out)',
    description:
      'Each user in one line, largest first. For exact sums over days use `pitot usage` on the usage log: increases are extrapolated.',
    whenBad: 'A user you do not know: find its key or header; `identity` says where names come from.',
    queries: [
      { expr: sum(increase(USERS.userOutputTokens), USER), legend: 'output' },
      { expr: sum(increase(USERS.userInputTokens), USER), legend: 'input' },
      { expr: sum(increase(USERS.userRequests), USER), legend: 'requests' },
      {
        expr: over(sum(increase(USERS.userOutputTokens), USER), sum(increase(USERS.userRequests), USER), USER),
        legend: 'per request',
      },
      {
        expr: over(sum(increase(USERS.userOutputTokens), USER), sum(increase(USERS.userDecodeSeconds), USER), USER),
        legend: 'speed',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Output of users without a name of their own',
    unit: 'ratio',
    width: 12,
    height: 7,
    most: 1,
    formula: 'output tokens of `other` and `unknown` ÷ output tokens of all users',
    description: '`other`: beyond `identity.max_users`. `unknown`: no key, header or field that names a user.',
    whenBad: 'Grows: raise `identity.max_users`, or add a source to `identity.user`.',
    queries: [
      {
        expr: over(
          `(${sum(rate(USERS.userOutputTokens, { unfiltered: USER, where: ['user=~"other|unknown"'] }))} or vector(0))`,
          sum(rate(USERS.userOutputTokens, { unfiltered: USER })),
        ),
        legend: 'nameless',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Users beyond the cap',
    unit: 'eventsPerSecond',
    width: 12,
    height: 7,
    formula: 'times per second that a user beyond `identity.max_users` was counted as `other`',
    description: 'Above zero: the panels here tell only the first users apart.',
    whenBad: 'Raise `identity.max_users`; the usage log has every user in any case.',
    queries: [{ expr: sum(rate(GATEWAY.labelOverflow, { where: ['label="user"'] })), legend: 'beyond the cap' }],
  },
];

export const WHO: Row = { title: 'Who they are', panels: [...COURSE, ...SUMS] };
