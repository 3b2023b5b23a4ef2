import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { chunk } from '../../helpers/http-bytes.ts';
import { post, rawClient, request } from '../../helpers/raw-client.ts';
import type { RawSocket } from '../../helpers/raw-socket.ts';
import { OK, RawUpstream } from '../../helpers/raw-upstream.ts';

const CHAT = post('/v1/chat/completions', '{"model":"m","stream":true}');
const SSE = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const DELTA = chunk('data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n');

const WAYS: Record<string, (client: RawSocket) => void> = {
  'a reset': (client) => client.reset(),
  'a FIN': (client) => client.end(),
  'an abrupt close': (client) => client.socket.destroy(),
};

test.each(Object.entries(WAYS))('in prefill, %s aborts the upstream request', async (_how, leave) => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(CHAT);
  const connection = await upstream.connection();
  await connection.message();
  leave(client);
  await connection.closed();
  const record = await gateway.record();
  expect(record).toMatchObject({ outcome: 'client_aborted', status: 499, error: null });
});

test.each(Object.entries(WAYS))('in decode, %s aborts the upstream request', async (_how, leave) => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(CHAT);
  const connection = await upstream.connection();
  await connection.message();
  connection.write(SSE);
  connection.write(DELTA);
  await client.text('"x"');
  leave(client);
  await connection.closed();
  const record = await gateway.record();
  expect(record).toMatchObject({ outcome: 'client_aborted', status: 200, chunks: 1 });
});

test.each(Object.entries(WAYS))('while uploading, %s aborts the upstream request', async (_how, leave) => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('POST /v1/chat/completions', ['Content-Length: 1000000'], '{"model":"m",'));
  const connection = await upstream.connection();
  await connection.text('{"model":"m",');
  leave(client);
  await connection.closed();
  expect(await gateway.record()).toMatchObject({ outcome: 'client_aborted', status: 499 });
});

test('before its upload has begun, nothing is sent to the upstream', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start({ url: upstream.url, match: { model: 'x*' } });
  await using client = await rawClient(gateway.port);
  client.write(request('POST /v1/chat/completions', ['Content-Length: 1000000'], '{"mod'));
  await expect.poll(() => client.socket.bytesWritten).toBeGreaterThan(0);
  client.end();
  expect(await gateway.record()).toMatchObject({ outcome: 'client_aborted', status: 499, upstream: null });
  expect(upstream.connections).toHaveLength(0);
});

test('while it waits for a connection, its request is never sent', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start({ url: upstream.url, max_connections: 1 });
  await using first = await rawClient(gateway.port);
  await using second = await rawClient(gateway.port);
  first.write(request('GET /first'));
  const connection = await upstream.connection();
  await connection.message();
  second.write(request('GET /second'));
  await expect.poll(() => gateway.status().inFlight).toBe(2);
  second.reset();
  expect(await gateway.record()).toMatchObject({ outcome: 'client_aborted', path: '/second' });
  connection.write(OK);
  await first.message();
  first.write(request('GET /third'));
  expect((await connection.message()).startLine).toContain('/third');
  connection.write(OK);
  await first.message();
});

test('the end of the request is not the leaving of the client', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  const body = Buffer.alloc(300_000, 'x');
  client.write(request('POST /', [`Content-Length: ${body.length}`], body));
  const connection = await upstream.connection();
  await connection.message();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(connection.peerEnd).toBeNull();
  connection.write(OK);
  expect((await client.message()).body.toString()).toBe('ok');
  expect((await gateway.record()).outcome).toBe('complete');
});

test('a pipelining client that leaves aborts all of its requests', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(Buffer.concat([request('GET /one'), request('GET /two'), CHAT]));
  const connections = [await upstream.connection(0), await upstream.connection(1), await upstream.connection(2)];
  for (const connection of connections) await connection.message();
  client.end();
  for (const connection of connections) await connection.closed();
  await gateway.record(2);
  expect(gateway.records.map(({ outcome }) => outcome)).toEqual(['client_aborted', 'client_aborted', 'client_aborted']);
});

test('a client that stopped reading and leaves is noticed though writes to it are blocked', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('GET /'));
  const connection = await upstream.connection();
  await connection.message();
  client.socket.pause();
  connection.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
  const flood = chunk(Buffer.alloc(1_000_000));
  for (let sent = 0; sent < 30; sent += 1) connection.write(flood);
  await expect.poll(() => connection.socket.writableLength).toBeGreaterThan(0);
  client.end();
  await connection.closed();
  const record = await gateway.record();
  expect(record).toMatchObject({ outcome: 'client_aborted', status: 200 });
  expect(record.client_blocked_ms).toBeGreaterThan(0);
});

test('aborted connections to the upstream are not used again', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  for (let number = 0; number < 3; number += 1) {
    await using client = await rawClient(gateway.port);
    client.write(CHAT);
    const connection = await upstream.connection(number);
    await connection.message();
    client.reset();
    await connection.closed();
    await gateway.record(number);
  }
});
