import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
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

test('who has connected before the end of the delay is served, though it asks after', async () => {
  await using upstream = await RawUpstream.start(answering(OK));
  await using gateway = await TestGateway.start(upstream.url);
  const early = await Promise.all(Array.from({ length: 40 }, () => rawClient(gateway.port)));
  const closing = gateway.dataPort.close(60_000);
  for (const client of early) client.write(request('GET /'));
  for (const client of early) {
    const { startLine, headerLines } = await client.message();
    expect(startLine).toBe('HTTP/1.1 200 OK');
    expect(headerLines).toContain('Connection: close');
    expect(await client.closed()).toBe('end');
  }
  await closing;
  expect(gateway.records.map(({ outcome }) => outcome)).toEqual(early.map(() => 'complete'));
});

test('nobody who has connected is reset, however close to the end', async () => {
  await using upstream = await RawUpstream.start(answering(OK));
  await using gateway = await TestGateway.start(upstream.url);
  const asks = Array.from({ length: 60 }, async () => {
    await using client = await rawClient(gateway.port);
    client.write(request('GET /'));
    return (await client.message()).startLine;
  });
  // Their handshakes are done by the system; the gateway has seen none of them yet.
  await gateway.dataPort.close(60_000);
  expect(new Set(await Promise.all(asks))).toEqual(new Set(['HTTP/1.1 200 OK']));
});

test('who has connected and asks nothing is not waited for', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using mute = await rawClient(gateway.port);
  await gateway.dataPort.close(60_000);
  expect(await mute.closed()).toBe('end');
});

test('a request behind a running answer is served, too, and its connection ends with it', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('GET /one'));
  const one = await upstream.connection(0);
  await one.message();
  one.write(HEAD + chunk('one'));
  await client.text('one');
  const closing = gateway.dataPort.close(60_000);
  client.write(request('GET /two'));
  const two = await upstream.connection(1);
  await two.message();
  two.write(OK);
  one.write(LAST_CHUNK);
  expect((await client.message()).body.toString()).toBe('one');
  const { body, headerLines } = await client.message();
  expect(body.toString()).toBe('ok');
  expect(headerLines).toContain('Connection: close');
  await client.closed();
  await closing;
});

test('a client that reads slowly gets the end of its answer, though it was handed over before', async () => {
  const accepted: Socket[] = [];
  const watch = (message: unknown) => void accepted.push((message as { socket: Socket }).socket);
  subscribe('net.server.socket', watch);
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using slow = await rawClient(gateway.port);
  await using other = await rawClient(gateway.port);
  slow.socket.pause();
  slow.write(request('GET /slow'));
  const answer = await upstream.connection(0);
  await answer.message();
  other.write(request('GET /other'));
  const held = await upstream.connection(1);
  await held.message();
  const socket = accepted.find(({ remotePort }) => remotePort === slow.socket.localPort);
  // Small pieces, until the system takes no more: what is left over then is less than what pauses the upstream.
  answer.write(HEAD);
  const piece = chunk('x'.repeat(4_000));
  let pieces = 0;
  while (socket?.writableLength === 0) {
    answer.write(piece);
    pieces += 1;
    await new Promise(setImmediate);
  }
  answer.write(LAST_CHUNK);
  await expect.poll(() => gateway.records.length + gateway.status().inFlight).toBe(2);

  const closing = gateway.dataPort.close(60_000);
  held.write(OK);
  await other.message();
  expect(await other.closed()).toBe('end');
  slow.socket.resume();
  await slow.closed();
  expect(slow.receivedBytes).toBe(slow.received.indexOf('\r\n\r\n') + 4 + pieces * piece.length + LAST_CHUNK.length);
  await closing;
  unsubscribe('net.server.socket', watch);
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
