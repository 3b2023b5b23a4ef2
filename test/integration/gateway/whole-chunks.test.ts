import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { chunk, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { rawClient, request } from '../../helpers/raw-client.ts';
import { RawUpstream } from '../../helpers/raw-upstream.ts';
import { until } from '../../helpers/until.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

/** An answer that has begun. `relays` waits for so many chunks in all. */
async function streaming(head = HEAD) {
  const upstream = await RawUpstream.start();
  const gateway = await TestGateway.start(upstream.url);
  const client = await rawClient(gateway.port);
  client.write(request('GET /'));
  const connection = await upstream.connection();
  await connection.message();
  connection.write(head);
  await client.text('\r\n\r\n');
  return {
    gateway,
    client,
    connection,
    relays: (chunks: number) => until(() => gateway.relayed >= chunks),
    async [Symbol.asyncDispose]() {
      for (const part of [client, gateway, upstream]) await part[Symbol.asyncDispose]();
    },
  };
}

test('a chunk that came whole goes on as its upstream framed it; one with an extension without it', async () => {
  await using answer = await streaming();
  answer.connection.write('00A\r\n0123456789\r\n');
  await answer.relays(1);
  answer.connection.write('2;name=value\r\nab\r\n');
  await answer.relays(2);
  answer.connection.write('1\r\nc\r\n');
  await answer.relays(3);
  answer.connection.write(LAST_CHUNK);
  const record = await answer.gateway.record();
  await answer.client.text(LAST_CHUNK);
  expect(answer.client.received.toString()).toBe(`${HEAD}00A\r\n0123456789\r\n2\r\nab\r\n1\r\nc\r\n${LAST_CHUNK}`);
  expect(record).toMatchObject({ outcome: 'complete', response_bytes: 13 });
});

test('what looks like chunks under a length, or where the connection is the end, is only a body', async () => {
  for (const head of ['Content-Length: 16\r\n', '']) {
    await using answer = await streaming(`HTTP/1.1 200 OK\r\n${head}\r\n`);
    for (let sent = 1; sent <= 2; sent += 1) {
      answer.connection.write('3\r\nabc\r\n');
      await answer.relays(sent);
    }
    answer.connection.end();
    expect((await answer.client.message()).body.toString()).toBe('3\r\nabc\r\n3\r\nabc\r\n');
    expect(await answer.gateway.record()).toMatchObject({ outcome: 'complete', response_bytes: 16 });
  }
});

test('a client that stops reading small chunks pauses its upstream, and gets every byte in the end', async () => {
  await using answer = await streaming();
  answer.client.socket.pause();
  const part = chunk(Buffer.alloc(1_000, 'x'));
  const parts = 20_000;
  for (let sent = 0; sent < parts; sent += 1) answer.connection.write(part);
  answer.connection.write(LAST_CHUNK);
  await until(() => answer.connection.socket.writableLength > 0);
  answer.client.socket.resume();
  expect((await answer.client.message()).body.length).toBe(parts * 1_000);
  expect(await answer.gateway.record()).toMatchObject({ outcome: 'complete', response_bytes: parts * 1_000 });
});

test('chunks that are out of joint break the answer, also behind ones that were not', async () => {
  await using answer = await streaming();
  answer.connection.write('1\r\na\r\n');
  await answer.relays(1);
  answer.connection.write('1\r\nbc\r\n');
  await answer.client.closed();
  expect(answer.client.received.toString()).not.toContain(LAST_CHUNK);
  expect((await answer.gateway.record()).outcome).toBe('upstream_reset');
});

test('the end of the connection between two chunks is a cut', async () => {
  await using answer = await streaming();
  answer.connection.write('1\r\na\r\n');
  await answer.relays(1);
  answer.connection.end();
  await answer.client.closed();
  expect((await answer.gateway.record()).outcome).toBe('upstream_reset');
});

test('a connection is used again behind an answer whose chunks came whole', async () => {
  await using answer = await streaming();
  for (let round = 1; round <= 2; round += 1) {
    answer.connection.write('1\r\na\r\n');
    await answer.relays(2 * round - 1);
    answer.connection.write('1\r\nb\r\n');
    await answer.relays(2 * round);
    answer.connection.write(LAST_CHUNK);
    expect((await answer.client.message()).body.toString()).toBe('ab');
    if (round === 2) break;
    // The pool lets it rest for a moment.
    await new Promise((resolve) => setTimeout(resolve, 60));
    answer.client.write(request('GET /'));
    await answer.connection.message();
    answer.connection.write(HEAD);
  }
});
