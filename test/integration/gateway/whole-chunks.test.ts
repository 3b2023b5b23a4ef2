import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { chunk, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { post, rawClient, request } from '../../helpers/raw-client.ts';
import { OK, RawUpstream } from '../../helpers/raw-upstream.ts';
import { until } from '../../helpers/until.ts';
import { ASKING, CHAT } from '../../helpers/usage-upstream.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

/** An answer that has begun. `relays` waits for so many chunks in all. */
async function streaming(head = HEAD, keys: Record<string, unknown> = {}) {
  const upstream = await RawUpstream.start();
  const gateway = await TestGateway.start({ url: upstream.url, ...keys });
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

test('a client that is full in the middle of a read is waited for once, not once for each chunk behind', async () => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error) => warnings.push(name);
  process.on('warning', onWarning);
  await using answer = await streaming();
  answer.client.socket.pause();
  const part = chunk(Buffer.alloc(200, 'x'));
  const perRead = 250;
  const read = Buffer.alloc(perRead * part.length, part);
  let sent = 0;
  while (answer.gateway.relayed === sent) {
    answer.connection.write(read);
    sent += perRead;
    await Promise.race([answer.relays(sent), sleep(1_500)]);
  }
  answer.connection.write(LAST_CHUNK);
  answer.client.socket.resume();
  expect((await answer.client.message()).body.length).toBe(sent * 200);
  const record = await answer.gateway.record();
  expect(record).toMatchObject({ outcome: 'complete', response_bytes: sent * 200 });
  expect(record.client_blocked_ms).toBeGreaterThan(100);
  process.off('warning', onWarning);
  // So Node warns where many listen for one event.
  expect(warnings).not.toContain('MaxListenersExceededWarning');
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
    await sleep(60);
    answer.client.write(request('GET /'));
    await answer.connection.message();
    answer.connection.write(HEAD);
  }
});

test('chunks that come whole are no silence', async () => {
  await using answer = await streaming(HEAD, { timeouts: { idle: '1s' } });
  for (let sent = 1; sent <= 12; sent += 1) {
    await sleep(250);
    answer.connection.write('1\r\na\r\n');
    await answer.relays(sent);
  }
  await answer.client.closed();
  expect(await answer.gateway.record()).toMatchObject({ outcome: 'upstream_timeout', response_bytes: 12 });
});

describe('a refusal of the question for usage, in chunks that come whole', () => {
  /** Sends this refusal: so many chunks in each read. */
  async function refused(head: string, reads: readonly (readonly string[])[]) {
    const upstream = await RawUpstream.start();
    const gateway = await TestGateway.start({ url: upstream.url, usage: 'always' });
    const client = await rawClient(gateway.port);
    client.write(post(CHAT, ASKING));
    const connection = await upstream.connection();
    await connection.message();
    connection.write(`${head}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    for (const chunks of reads) {
      await sleep(10);
      connection.write(Buffer.concat(chunks.map((text) => chunk(text))));
    }
    return {
      upstream,
      gateway,
      client,
      async [Symbol.asyncDispose]() {
        for (const part of [client, gateway, upstream]) await part[Symbol.asyncDispose]();
      },
    };
  }

  const LONG = [['x'.repeat(40_000)], Array(50).fill('y'.repeat(1_000)), ['z']];

  test.each([
    ['behind one', [['x'.repeat(40_000)], [`stream_options${'y'.repeat(40_000)}`], ['z']]],
    ['in the middle of a read', [[`${'x'.repeat(40_000)}stream_options`], Array(50).fill('y'.repeat(1_000)), ['z']]],
  ])('is not seen, and the request is sent again once it has said enough, %s', async (_where, reads) => {
    await using answer = await refused('HTTP/1.1 422 No', reads);
    const again = await answer.upstream.connection(1);
    expect((await again.message()).body.toString()).toBe(ASKING);
    again.write(HEAD);
    again.write(chunk('ok'));
    await answer.client.text('ok');
    again.write(LAST_CHUNK);
    expect((await answer.client.message()).body.toString()).toBe('ok');
    expect(await answer.gateway.record()).toMatchObject({ outcome: 'complete', response_bytes: 2 });
  });

  test('that is about something else is passed on, whole, once it is too long', async () => {
    await using answer = await refused('HTTP/1.1 422 No', LONG);
    await answer.client.text('z');
    (await answer.upstream.connection()).write(LAST_CHUNK);
    const { startLine, body } = await answer.client.message();
    expect([startLine, body.length]).toEqual(['HTTP/1.1 422 No', 90_001]);
  });

  test('whose head cannot be passed on breaks that answer only', async () => {
    await using answer = await refused('HTTP/1.1 422 N\x01', LONG);
    expect((await answer.client.message()).startLine).toBe('HTTP/1.1 502 Bad Gateway');
    expect((await answer.gateway.record()).outcome).toBe('upstream_reset');
    answer.client.write(request('GET /'));
    const next = await answer.upstream.connection(1);
    await next.message();
    next.write(OK);
    expect((await answer.client.message()).startLine).toBe('HTTP/1.1 200 OK');
  });
});

test('a flood of tiny chunks is bounded in one turn of the loop by their number', async () => {
  await using answer = await streaming();
  const chunks = 60_000;
  answer.connection.write(Buffer.alloc(6 * chunks, '1\r\nx\r\n'));
  let most = 0;
  for (let before = 0; before < chunks; ) {
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, answer.gateway.relayed - before);
    before = answer.gateway.relayed;
  }
  // One read of 64 KiB is taken whole.
  expect(most).toBeLessThan(15_000);
  answer.connection.write(LAST_CHUNK);
  expect((await answer.client.message()).body.length).toBe(chunks);
});
