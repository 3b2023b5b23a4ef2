import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { targetOf, upstreamHeaders } from '../../../src/gateway/request-head.ts';
import { configOf } from '../../helpers/gateway.ts';

test('by default nothing bounds an answer: the client leaving is the bound', () => {
  const [upstream] = configOf('http://127.0.0.1:9').upstreams;
  expect(upstream?.timeouts).toMatchObject({ headers: 0, idle: 0 });
});

test.each([
  ['/x?y', '/x?y'],
  ['HTTP://H', '/'],
  ['http://h?q', '/?q'],
  ['https://user:pass@h:1/a//b#c', '/a//b#c'],
])('the target %s is forwarded as %s', (sent, expected) => {
  expect(targetOf(sent)).toBe(expected);
});

test('several Connection lines name fields together', () => {
  const request = {
    headers: { connection: 'x-a, X-B' },
    rawHeaders: ['X-A', '1', 'x-b', '2', 'X-C', '3'],
  } as unknown as IncomingMessage;
  expect(upstreamHeaders(request, { host: false, contentLength: false })).toEqual(['X-C', '3']);
});
