import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { ERRORS, type ErrorCode } from '../../../src/errors.ts';
import { TestGateway, type UpstreamKeys } from '../../helpers/gateway.ts';
import { headerOf } from '../../helpers/http-bytes.ts';
import { post, rawClient, request } from '../../helpers/raw-client.ts';
import type { RawSocket } from '../../helpers/raw-socket.ts';
import { RawUpstream, type Script } from '../../helpers/raw-upstream.ts';

/** A port on which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function failing(keys: UpstreamKeys, sent = request('GET /')) {
  await using gateway = await TestGateway.start(keys);
  await using client = await rawClient(gateway.port);
  client.write(sent);
  const answer = await client.message();
  return { answer, record: await gateway.record(), status: gateway.status() };
}

async function failingUpstream(script: Script, keys: Record<string, unknown> = {}, sent?: Buffer) {
  await using upstream = await RawUpstream.start(script);
  return { ...(await failing({ url: upstream.url, ...keys }, sent)), connections: upstream.connections.length };
}

function expectError(failed: Awaited<ReturnType<typeof failing>>, code: ErrorCode, outcome: string) {
  const { answer, record } = failed;
  expect(answer.startLine).toContain(` ${ERRORS[code].status} `);
  expect(headerOf(answer.headerLines, 'x-pitot-error')).toBe(code);
  expect(headerOf(answer.headerLines, 'content-type')).toBe('application/json');
  const body = JSON.parse(answer.body.toString());
  expect(body).toEqual({ error: { message: expect.any(String), type: expect.any(String), param: null, code } });
  expect(record).toMatchObject({ outcome, status: ERRORS[code].status, error: code, response_bytes: 0 });
}

test('an upstream that refuses connections is unreachable', async () => {
  const failed = await failing({ url: `http://127.0.0.1:${await closedPort()}` });
  expectError(failed, 'PITOT_UPSTREAM_UNREACHABLE', 'upstream_unreachable');
  expect(failed.answer.body.toString()).toContain('ECONNREFUSED');
  expect(failed.status.up).toBe(false);
});

test('an upstream whose name does not resolve is unreachable', async () => {
  const failed = await failing({ url: 'http://no-such-host.invalid' });
  expectError(failed, 'PITOT_UPSTREAM_UNREACHABLE', 'upstream_unreachable');
});

test('an upstream that speaks no TLS where it should is unreachable', async () => {
  await using upstream = await RawUpstream.start((connection) => connection.end('HTTP/1.1 200 OK\r\n\r\n'));
  const failed = await failing({ url: upstream.url.replace('http:', 'https:') });
  expectError(failed, 'PITOT_UPSTREAM_UNREACHABLE', 'upstream_unreachable');
});

test('every request that waits for an unreachable upstream gets its answer', async () => {
  const url = `http://127.0.0.1:${await closedPort()}`;
  await using gateway = await TestGateway.start({ url, max_connections: 1 });
  const clients = await Promise.all(Array.from({ length: 8 }, () => rawClient(gateway.port)));
  for (const client of clients) client.write(request('GET /'));
  for (const client of clients) {
    expect((await client.message()).headerLines).toContain('x-pitot-error: PITOT_UPSTREAM_UNREACHABLE');
    await client[Symbol.asyncDispose]();
  }
});

function afterRequest(then: (connection: RawSocket) => void): Script {
  return async (connection) => {
    await connection.message();
    then(connection);
  };
}

const NO_ANSWERS: [what: string, script: Script][] = [
  ['a reset', afterRequest((connection) => connection.reset())],
  ['an end', afterRequest((connection) => connection.end())],
  ['an end within the head', afterRequest((connection) => connection.end('HTTP/1.1 200 O'))],
  ['another protocol', (connection) => connection.write('SSH-2.0-OpenSSH_9.2\r\n')],
  ['garbage', (connection) => connection.write('\0\x01\x02garbage\r\n\r\n')],
  ['a status that is none', (connection) => connection.write('HTTP/1.1 abc OK\r\n\r\n')],
  ['a status below any class', (connection) => connection.write('HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n')],
  ['a folded line', (connection) => connection.write('HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n')],
  [
    'two lengths',
    (connection) => connection.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok'),
  ],
  [
    'a length and chunks',
    (connection) =>
      connection.write(
        'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      ),
  ],
];

test.each(NO_ANSWERS)('%s instead of an answer is a reset, once', async (_what, script) => {
  const failed = await failingUpstream(script);
  expectError(failed, 'PITOT_UPSTREAM_RESET', 'upstream_reset');
  expect(failed.connections).toBe(1);
  expect(failed.status.up).toBe(false);
});

test('a head that does not come within the configured time is a timeout', async () => {
  const failed = await failingUpstream(() => {}, { timeouts: { headers: '100ms' } });
  expectError(failed, 'PITOT_UPSTREAM_TIMEOUT', 'upstream_timeout');
});

test('a connection that does not come about within the configured time is unreachable', async () => {
  // A peer that accepts and never answers the TLS hello.
  await using upstream = await RawUpstream.start();
  const url = upstream.url.replace('http:', 'https:');
  const failed = await failing({ url, timeouts: { connect: '100ms' } });
  expectError(failed, 'PITOT_UPSTREAM_UNREACHABLE', 'upstream_unreachable');
});

test('a request that no upstream matches is answered by the gateway, and the connection goes on', async () => {
  await using gateway = await TestGateway.start({ url: 'http://127.0.0.1:9', match: { path: '/v1' } });
  await using client = await rawClient(gateway.port);
  for (const path of ['/v1x', '/', '/V1/x']) {
    client.write(post(path, '{}'));
    const { headerLines } = await client.message();
    expect(headerLines).toContain('x-pitot-error: PITOT_NO_UPSTREAM');
    expect(headerOf(headerLines, 'connection')).toBeNull();
  }
  expect(await gateway.record(2)).toMatchObject({ outcome: 'rejected', error: 'PITOT_NO_UPSTREAM', upstream: null });
});

test('the error has the shape that the clients of the API know', async () => {
  const url = `http://127.0.0.1:${await closedPort()}`;
  const chat = await failing({ url }, post('/v1/chat/completions', '{}'));
  expect(JSON.parse(chat.answer.body.toString())).toMatchObject({
    error: { type: 'server_error', code: 'PITOT_UPSTREAM_UNREACHABLE' },
  });
});

test('HEAD gets the head of the error alone', async () => {
  await using gateway = await TestGateway.start(`http://127.0.0.1:${await closedPort()}`);
  await using client = await rawClient(gateway.port);
  client.write(request('HEAD /'));
  expect(await client.head()).toContain('x-pitot-error: PITOT_UPSTREAM_UNREACHABLE');
  client.write(request('HEAD /'));
  expect(await client.head()).toMatch(/^HTTP\/1.1 502 /);
});
