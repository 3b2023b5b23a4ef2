import { expect, it } from 'vitest';
import { shareOf } from '../../../src/workers/share.ts';
import { configOf } from '../../helpers/recorder.ts';

const configured = (limits: string, connections: number, workers = 4) =>
  shareOf(
    configOf(
      `{ workers: ${workers}, limits: { ${limits} }, upstreams: [ { name: a, url: "http://a:1", max_connections: ${connections} } ] }`,
    ),
  );

it('what is bounded over all requests is shared among the workers', () => {
  const shared = configured('body_buffer_total: 64MiB, body_buffer: 8MiB', 10);
  expect(shared.limits.body_buffer_total).toBe(16 * 1024 * 1024);
  expect(shared.upstreams[0]?.max_connections).toBe(2);
});

it('no share is too small to work with, and what is unlimited stays so', () => {
  const shared = configured('body_buffer_total: 16MiB, body_buffer: 8MiB', 3);
  expect(shared.limits.body_buffer_total).toBe(8 * 1024 * 1024);
  expect(shared.upstreams[0]?.max_connections).toBe(1);
  expect(configured('', 0).upstreams[0]?.max_connections).toBe(0);
});
