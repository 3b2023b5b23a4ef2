import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { headerOf } from '../../helpers/http-bytes.ts';
import { rawClient, request } from '../../helpers/raw-client.ts';
import { OK, RawUpstream } from '../../helpers/raw-upstream.ts';

const UPGRADE = [
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'X-Own: 1',
];
const ASK = request('GET /v1/realtime?model=m', UPGRADE);
const AGREED =
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nconnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzhZRbK+xOo=\r\n\r\n';
/** Not WebSocket frames: a tunnel does not look. */
const BINARY = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

/** A tunnel with both of its ends. */
async function tunnel() {
  const upstream = await RawUpstream.start();
  const gateway = await TestGateway.start(upstream.url);
  const client = await rawClient(gateway.port);
  client.write(ASK);
  const connection = await upstream.connection();
  const asked = await connection.message();
  connection.write(AGREED);
  const head = await client.head();
  return {
    upstream,
    gateway,
    client,
    connection,
    asked,
    head,
    async [Symbol.asyncDispose]() {
      for (const part of [client, gateway, upstream]) await part[Symbol.asyncDispose]();
    },
  };
}

test('the handshake passes with every field of both sides', async () => {
  await using open = await tunnel();
  expect(open.asked.startLine).toBe('GET /v1/realtime?model=m HTTP/1.1');
  expect(open.asked.headerLines).toContain('Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==');
  expect(open.asked.headerLines).toContain('X-Own: 1');
  expect(headerOf(open.asked.headerLines, 'upgrade')).toBe('websocket');
  expect(headerOf(open.asked.headerLines, 'connection')?.toLowerCase()).toBe('upgrade');
  expect(headerOf(open.asked.headerLines, 'host')).toBe(`127.0.0.1:${open.upstream.port}`);
  expect(open.head).toBe(AGREED);
});

test('bytes pass both ways as they are, in any order', async () => {
  await using open = await tunnel();
  const { client, connection } = open;
  client.write(BINARY);
  await connection.text(BINARY.toString('latin1'));
  connection.write(BINARY);
  connection.write(BINARY);
  await client.text(BINARY.toString('latin1').repeat(2));
  client.write('again');
  await connection.text('again');
});

test('what a client sends before the upstream agreed is kept for it', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(Buffer.concat([ASK, Buffer.from('early')]));
  const connection = await upstream.connection();
  await connection.message();
  client.write(' bird');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(connection.received.toString()).toBe('');
  connection.write(`${AGREED}first`);
  await connection.text('early bird');
  await client.text('first');
});

test.each([
  ['upstream', 'client', 'complete'],
  ['client', 'upstream', 'client_aborted'],
] as const)('when the %s ends its side, the %s gets what was sent and its end', async (ending, other, outcome) => {
  await using open = await tunnel();
  const ends = { client: open.client, upstream: open.connection };
  ends[ending].end('goodbye');
  await ends[other].text('goodbye');
  await ends[other].closed();
  await ends[ending].closed();
  const record = await open.gateway.record();
  expect(record).toMatchObject({ api: 'websocket', status: 101, outcome, path: '/v1/realtime' });
  expect(ending === 'client' ? record.request_bytes : record.response_bytes).toBe('goodbye'.length);
});

test.each([
  ['upstream', 'client', 'upstream_reset'],
  ['client', 'upstream', 'client_aborted'],
] as const)('when the %s breaks, so does the side of the %s', async (breaking, other, outcome) => {
  await using open = await tunnel();
  const ends = { client: open.client, upstream: open.connection };
  ends[breaking].reset();
  await ends[other].closed();
  expect((await open.gateway.record()).outcome).toBe(outcome);
});

test('a client that leaves before the upstream agreed aborts the request', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(ASK);
  const connection = await upstream.connection();
  await connection.message();
  client.end();
  await connection.closed();
  expect(await gateway.record()).toMatchObject({ outcome: 'client_aborted', status: 499, api: 'websocket' });
});

test('an upstream that declines is relayed as an answer, and no second request slips through', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(Buffer.concat([ASK, request('GET /smuggled')]));
  const connection = await upstream.connection();
  await connection.message();
  connection.write('HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 4\r\n\r\nnope');
  const answer = await client.message();
  expect(answer.startLine).toBe('HTTP/1.1 401 Unauthorized');
  expect(answer.headerLines).toEqual(['WWW-Authenticate: Bearer', 'Content-Length: 4', 'Connection: close']);
  expect(answer.body.toString()).toBe('nope');
  await client.closed();
  expect(connection.received.toString()).not.toContain('smuggled');
  expect(upstream.connections).toHaveLength(1);
  expect(await gateway.record()).toMatchObject({ outcome: 'upstream_error', status: 401 });
});

test('an upstream that cannot be reached is a plain error', async () => {
  await using gateway = await TestGateway.start('http://127.0.0.1:9');
  await using client = await rawClient(gateway.port);
  client.write(ASK);
  expect((await client.message()).headerLines).toContain('x-pitot-error: PITOT_UPSTREAM_UNREACHABLE');
  await client.closed();
});

test('without a matching upstream it is a plain error', async () => {
  await using gateway = await TestGateway.start({ url: 'http://127.0.0.1:9', match: { path: '/other' } });
  await using client = await rawClient(gateway.port);
  client.write(ASK);
  expect((await client.message()).headerLines).toContain('x-pitot-error: PITOT_NO_UPSTREAM');
  await client.closed();
});

test('a reader that stops holds the other side up', async () => {
  await using open = await tunnel();
  open.client.socket.pause();
  const part = Buffer.alloc(1_000_000);
  for (let sent = 0; sent < 40; sent += 1) open.connection.write(part);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(open.connection.socket.writableLength).toBeGreaterThan(10_000_000);
  open.client.socket.resume();
  await open.client.until(() => (open.client.receivedBytes >= 40_000_000 ? true : null));
});

test.each([
  ['h2c', request('GET /', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'])],
  ['a GET with a body', request('GET /', ['Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 2'], 'hi')],
  ['a POST', request('POST /', ['Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 2'], 'hi')],
])(
  'an upgrade that is no WebSocket (%s) goes on as HTTP/1.1, and the connection ends with its answer',
  async (_what, sent) => {
    await using upstream = await RawUpstream.start();
    await using gateway = await TestGateway.start({ url: upstream.url, keep_alive: 0 });
    await using client = await rawClient(gateway.port);
    client.write(sent);
    const connection = await upstream.connection();
    const { headerLines } = await connection.message();
    expect(headerLines.filter((line) => /upgrade|http2/i.test(line))).toEqual([]);
    connection.write(OK);
    const answer = await client.message();
    expect(answer.body.toString()).toBe('ok');
    expect(answer.headerLines).toContain('Connection: close');
    await client.closed();
  },
);

test('at the end of the grace a tunnel is cut', async () => {
  await using open = await tunnel();
  await open.gateway.dataPort.close(0);
  await open.client.closed();
  await open.connection.closed();
  expect(await open.gateway.record()).toMatchObject({ outcome: 'gateway_shutdown', status: 101 });
});
