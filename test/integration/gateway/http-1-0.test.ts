import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { chunk, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { rawClient } from '../../helpers/raw-client.ts';
import { answering, OK, RawUpstream } from '../../helpers/raw-upstream.ts';

test('an HTTP/1.0 client gets a chunked answer as bytes until the connection ends', async () => {
  const answer = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk('one')}${chunk('two')}${LAST_CHUNK}`;
  await using upstream = await RawUpstream.start(answering(answer));
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write('GET / HTTP/1.0\r\n\r\n');
  expect(await client.closed()).toBe('end');
  expect(client.received.toString()).toBe('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nonetwo');
});

test('an HTTP/1.0 client that asks for it keeps its connection, and is told so', async () => {
  await using upstream = await RawUpstream.start(answering(OK));
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  for (const _round of [1, 2]) {
    client.write('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
    const { headerLines, body } = await client.message();
    expect(headerLines).toContain('Connection: keep-alive');
    expect(body.toString()).toBe('ok');
  }
});

test('a client that asks to close is closed after its answer', async () => {
  await using upstream = await RawUpstream.start(answering(OK));
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const { headerLines } = await client.message();
  expect(headerLines).toEqual(['Content-Length: 2', 'Connection: close']);
  expect(await client.closed()).toBe('end');
});
