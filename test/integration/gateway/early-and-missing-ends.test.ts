import { constants, createGzip, type Gzip } from 'node:zlib';
import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { chunk, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { post, rawClient } from '../../helpers/raw-client.ts';
import { answering, RawUpstream } from '../../helpers/raw-upstream.ts';

const head = (mediaType: string, more = '') =>
  `HTTP/1.1 200 OK\r\nContent-Type: ${mediaType}\r\n${more}Transfer-Encoding: chunked\r\n\r\n`;
const event = (message: object): string => `data: ${JSON.stringify(message)}\n\n`;
const said = (content: string, finish_reason: string | null = null) =>
  event({ model: 'm', choices: [{ index: 0, delta: { content }, finish_reason }] });

test('a line of Ollama under the name of JSON is a token when it comes, and no whole answer', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(post('/api/chat', '{"model":"m"}'));
  const connection = await upstream.connection();
  await connection.message();
  connection.write(head('application/json'));
  connection.write(chunk('{"model":"m","message":{"role":"assistant","content":"Hi"},"done":false}\n'));
  await client.text('"Hi"');
  client.reset();
  await connection.closed();
  const record = await gateway.record();
  expect(record).toMatchObject({ outcome: 'client_aborted', stream: true, chunks: 1, usage_source: 'estimated' });
  expect(record.ttft_ms).not.toBeNull();
});

test.each([
  ['chat of two', '/v1/chat/completions', { n: 2 }, 'truncated'],
  ['chat of one', '/v1/chat/completions', {}, 'complete'],
  ['completion of two prompts', '/v1/completions', { prompt: ['a', 'b'] }, 'truncated'],
  ['completion of one in token ids', '/v1/completions', { prompt: [1, 2] }, 'complete'],
] as const)('one finished choice of a %s', async (...[, path, asks, outcome]) => {
  await using upstream = await RawUpstream.start(
    answering(
      Buffer.concat([Buffer.from(head('text/event-stream')), chunk(said('a', 'stop')), Buffer.from(LAST_CHUNK)]),
    ),
  );
  await using gateway = await TestGateway.start(upstream.url);
  const body = JSON.stringify({ model: 'm', stream: true, ...asks });
  await (await fetch(`http://127.0.0.1:${gateway.port}${path}`, { method: 'POST', body })).text();
  expect(await gateway.record()).toMatchObject({ outcome });
});

/** What a server sends that flushes each event. */
async function flushed(...events: string[]): Promise<Buffer> {
  const gzip: Gzip = createGzip();
  const pieces: Buffer[] = [];
  gzip.on('data', (piece) => pieces.push(piece));
  for (const text of events) {
    gzip.write(text);
    await new Promise<void>((resolve) => gzip.flush(constants.Z_SYNC_FLUSH, resolve));
  }
  gzip.destroy();
  return Buffer.concat(pieces);
}

test.each([
  ['an error', [said('a'), event({ error: { message: 'overloaded' } })], 'error_in_stream'],
  ['no end', [said('a'), said('b')], 'truncated'],
  ['its end', [said('a', 'stop'), 'data: [DONE]\n\n'], 'complete'],
] as const)('bytes that break do not hide %s that stands before them', async (_what, events, outcome) => {
  const sent = Buffer.concat([await flushed(...events), Buffer.alloc(100, 0xff)]);
  await using upstream = await RawUpstream.start(
    answering(
      Buffer.concat([
        Buffer.from(head('text/event-stream', 'Content-Encoding: gzip\r\n')),
        chunk(sent),
        Buffer.from(LAST_CHUNK),
      ]),
    ),
  );
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(post('/v1/chat/completions', '{"model":"m","stream":true}'));
  await client.message();
  const record = await gateway.record();
  expect(record).toMatchObject({ outcome });
  expect(record.output_characters).toBeGreaterThan(0);
  expect(gateway.degraded).toEqual(['inflate_failed']);
});
