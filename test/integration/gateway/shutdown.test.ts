import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { chunk, headerOf, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { post, rawClient, request } from '../../helpers/raw-client.ts';
import { answering, OK, RawUpstream } from '../../helpers/raw-upstream.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

test('while draining everything is served, and every answer closes its connection', async () => {
  await using upstream = await RawUpstream.start(answering(OK));
  await using gateway = await TestGateway.start(upstream.url);
  await using before = await rawClient(gateway.port);
  before.write(request('GET /'));
  expect(headerOf((await before.message()).headerLines, 'connection')).toBeNull();
  gateway.dataPort.startDraining();
  await using fresh = await rawClient(gateway.port);
  for (const client of [before, fresh]) {
    client.write(request('GET /'));
    const answer = await client.message();
    expect(answer.startLine).toBe('HTTP/1.1 200 OK');
    expect(answer.headerLines).toContain('Connection: close');
    expect(await client.closed()).toBe('end');
  }
});

test('closing refuses new connections, drops idle ones and lets streams end whole', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start({ url: upstream.url, match: { path: '/x' } });
  await using idle = await rawClient(gateway.port);
  idle.write(request('GET /nowhere'));
  await idle.message();
  await using prefilling = await rawClient(gateway.port);
  await using streaming = await rawClient(gateway.port);
  streaming.write(request('GET /x/streaming'));
  const stream = await upstream.connection(0);
  await stream.message();
  stream.write(HEAD + chunk('one'));
  await streaming.text('one');
  prefilling.write(request('GET /x/prefilling'));
  const prefill = await upstream.connection(1);
  await prefill.message();

  const closing = gateway.dataPort.close(60_000);
  await idle.closed();
  await expect(rawClient(gateway.port)).rejects.toThrow('ECONNREFUSED');
  stream.write(chunk('two') + LAST_CHUNK);
  expect((await streaming.message()).body.toString()).toBe('onetwo');
  prefill.write(OK);
  expect((await prefilling.message()).headerLines).toContain('Connection: close');
  await closing;
  await streaming.closed();
  expect(gateway.records.map(({ outcome }) => outcome)).toEqual(['rejected', 'complete', 'complete']);
});

test('a request that comes on an old connection during the grace is told to go elsewhere', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('GET /one'));
  const connection = await upstream.connection();
  await connection.message();
  const closing = gateway.dataPort.close(60_000);
  client.write(request('GET /two'));
  connection.write(OK);
  expect((await client.message()).body.toString()).toBe('ok');
  const second = await client.message().catch(() => null);
  // The first answer closed the connection, unless the second was already being read.
  if (second !== null) expect(second.headerLines).toContain('x-pitot-error: PITOT_DRAINING');
  await closing;
  expect(upstream.connections).toHaveLength(1);
});

test('what is still running at the end of the grace is cut, and its record says so', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using prefilling = await rawClient(gateway.port);
  await using streaming = await rawClient(gateway.port);
  prefilling.write(post('/v1/chat/completions', '{}'));
  const prefill = await upstream.connection(0);
  await prefill.message();
  streaming.write(request('GET /streaming'));
  const stream = await upstream.connection(1);
  await stream.message();
  stream.write(HEAD + chunk('one'));
  await streaming.text('one');

  await gateway.dataPort.close(100);
  await prefill.closed();
  await stream.closed();
  const { startLine, headerLines } = await prefilling.message();
  expect(startLine).toContain('503');
  expect(headerLines).toContain('x-pitot-error: PITOT_DRAINING');
  await streaming.closed();
  expect(streaming.received.toString()).not.toContain(LAST_CHUNK);
  expect(gateway.records).toMatchObject([
    { outcome: 'gateway_shutdown', status: 503, error: 'PITOT_DRAINING' },
    { outcome: 'gateway_shutdown', status: 200, error: null },
  ]);
});

test('closing twice, or before listening, is no fault', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await gateway.dataPort.close(0);
  await gateway.dataPort.close(0);
});

test('a port in use is an error of the system', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  const second = TestGateway.start(upstream.url, { config: { listen: `127.0.0.1:${gateway.port}` } });
  await expect(second).rejects.toThrow('EADDRINUSE');
});
