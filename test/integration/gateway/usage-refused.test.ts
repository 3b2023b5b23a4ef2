import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import type { WireMessage } from '../../helpers/http-bytes.ts';
import { post, rawClient } from '../../helpers/raw-client.ts';
import { RawUpstream, type Script } from '../../helpers/raw-upstream.ts';
import {
  ASKED,
  ASKING,
  answer,
  byRequest,
  CHAT,
  gzipped,
  PLAIN_STREAM,
  streamed,
} from '../../helpers/usage-upstream.ts';

const REFUSAL = '{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"]}]}';
const hasQuestion = ({ body }: WireMessage): boolean => body.includes('stream_options');
const refusing = (refusal: Buffer) => (requests: WireMessage[]) =>
  byRequest(requests, (request) => (hasQuestion(request) ? refusal : streamed(PLAIN_STREAM)));

async function run(script: (requests: WireMessage[]) => Script, sent: readonly Buffer[]) {
  const requests: WireMessage[] = [];
  await using upstream = await RawUpstream.start(script(requests));
  await using gateway = await TestGateway.start({ url: upstream.url, engine: 'vllm' });
  await using client = await rawClient(gateway.port);
  const got: WireMessage[] = [];
  for (const [number, bytes] of sent.entries()) {
    client.write(bytes);
    got.push(await client.message());
    await gateway.record(number);
  }
  return { requests: requests.map(({ body }) => body.toString()), got, gateway };
}

test.each([
  ['422, as Mistral', answer('422 Unprocessable Entity', ['application/json'], REFUSAL)],
  ['400, as Azure', answer('400 Bad Request', ['application/json'], 'Unrecognized request argument: stream_options')],
  ['gzip', gzipped('422 Unprocessable Entity', 'application/json', REFUSAL)],
  ['an event stream', Buffer.from(String(streamed(REFUSAL, 9)).replace('200 OK', '400 Bad Request'))],
])('a refusal the client did not cause is never seen: %s (FAULTS B03)', async (_how, refusal) => {
  const { requests, got, gateway } = await run(refusing(refusal), [post(CHAT, ASKING), post(CHAT, ASKING)]);
  expect(requests).toEqual([ASKED, ASKING, ASKING]);
  expect(got.map(({ startLine, body }) => [startLine, body.toString()])).toEqual([
    ['HTTP/1.1 200 OK', PLAIN_STREAM],
    ['HTTP/1.1 200 OK', PLAIN_STREAM],
  ]);
  expect(gateway.usageAsks).toEqual(['refused']);
  expect(gateway.records.map(({ outcome, request_bytes }) => [outcome, request_bytes])).toEqual([
    ['complete', ASKING.length],
    ['complete', ASKING.length],
  ]);
});

test.each([
  ['another fault', answer('422 Unprocessable Entity', ['application/json'], '{"detail":"temperature"}')],
  ['no text', answer('400 Bad Request', ['text/plain'], '')],
  ['a broken encoding', answer('400 Bad Request', ['text/plain', 'Content-Encoding: gzip'], 'stream_options')],
  ['an unknown encoding', answer('400 Bad Request', ['text/plain', 'Content-Encoding: zstd'], 'stream_options')],
  ['another status', answer('404 Not Found', ['text/plain'], 'stream_options')],
  ['more than is looked at', answer('400 Bad Request', ['text/plain'], `${'x'.repeat(200_000)}stream_options`)],
])('a refusal of something else is relayed as it came, once: %s', async (_what, refusal) => {
  const { requests, got, gateway } = await run(refusing(refusal), [post(CHAT, ASKING)]);
  expect(requests).toEqual([ASKED]);
  expect(`${got[0]?.startLine}\r\n${got[0]?.headerLines.join('\r\n')}\r\n\r\n${got[0]?.body}`).toBe(String(refusal));
  expect(gateway.usageAsks).toEqual([]);
  expect(gateway.records[0]).toMatchObject({ outcome: 'upstream_error' });
});

test('a long refusal that names it early is not read to its end', async () => {
  const endless = Buffer.from(`HTTP/1.1 422 No\r\nContent-Length: 9999999\r\n\r\n${REFUSAL}${'x'.repeat(100_000)}`);
  const { got, requests } = await run(refusing(endless), [post(CHAT, ASKING)]);
  expect(requests).toEqual([ASKED, ASKING]);
  expect(got[0]?.body.toString()).toBe(PLAIN_STREAM);
});

test('a request that is refused either way gets the refusal of what it wrote, and does not stop the asking', async () => {
  const script = (requests: WireMessage[]) =>
    byRequest(requests, (request) =>
      answer('422 No', ['text/plain'], hasQuestion(request) ? 'temperature, in {stream_options}' : 'temperature'),
    );
  const { requests, got } = await run(script, [post(CHAT, ASKING), post(CHAT, ASKING)]);
  expect(requests).toEqual([ASKED, ASKING, ASKED, ASKING]);
  expect(got.map(({ body }) => body.toString())).toEqual(['temperature', 'temperature']);
});

test('a refusal that breaks off reaches the client as far as it came', async () => {
  await using upstream = await RawUpstream.start(async (connection) => {
    await connection.message();
    connection.write('HTTP/1.1 422 No\r\nContent-Length: 99\r\n\r\nstream_opt');
    connection.end();
  });
  await using gateway = await TestGateway.start({ url: upstream.url, engine: 'vllm' });
  await using client = await rawClient(gateway.port);
  client.write(post(CHAT, ASKING));
  await client.closed();
  expect(client.received.toString()).toBe('HTTP/1.1 422 No\r\nContent-Length: 99\r\n\r\nstream_opt');
  expect(await gateway.record()).toMatchObject({ status: 422, outcome: 'upstream_reset' });
});

test('a refusal that names it and then breaks off is not seen either (FAULTS B03)', async () => {
  const requests: WireMessage[] = [];
  await using upstream = await RawUpstream.start(async (connection) => {
    for (;;) {
      const request = await connection.message();
      requests.push(request);
      if (!hasQuestion(request)) connection.write(streamed(PLAIN_STREAM));
      else connection.end(`HTTP/1.1 400 Bad Request\r\nContent-Length: ${REFUSAL.length + 1}\r\n\r\n${REFUSAL}`);
    }
  });
  await using gateway = await TestGateway.start({ url: upstream.url, engine: 'vllm' });
  await using client = await rawClient(gateway.port);
  client.write(post(CHAT, ASKING));
  const { startLine, body } = await client.message();
  expect([startLine, body.toString()]).toEqual(['HTTP/1.1 200 OK', PLAIN_STREAM]);
  expect(await gateway.record()).toMatchObject({ outcome: 'complete', status: 200 });
  expect(requests.map((request) => request.body.toString())).toEqual([ASKED, ASKING]);
  expect(gateway.usageAsks).toEqual(['refused']);
});

test('a client that leaves while it is refused, or sent again, ends it', async () => {
  const requests: WireMessage[] = [];
  await using upstream = await RawUpstream.start(async (connection) => {
    for (;;) {
      const request = await connection.message();
      requests.push(request);
      // Sent again, it is never answered.
      if (hasQuestion(request)) connection.write(answer('400 No', ['text/plain'], 'stream_options'));
    }
  });
  await using gateway = await TestGateway.start({ url: upstream.url, engine: 'vllm' });
  await using client = await rawClient(gateway.port);
  client.write(post(CHAT, ASKING));
  while (requests.length < 2) await sleep(5);
  client.socket.destroy();
  const closed = (await upstream.connection(1)).closed();
  expect(await gateway.record()).toMatchObject({ status: 499, outcome: 'client_aborted' });
  await closed;
});
