import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { chunk, headerOf, LAST_CHUNK, type WireMessage } from '../../helpers/http-bytes.ts';
import { post, rawClient, request } from '../../helpers/raw-client.ts';
import { RawUpstream } from '../../helpers/raw-upstream.ts';
import { answer, asVllm, byRequest, CHAT, PLAIN_STREAM, streamed } from '../../helpers/usage-upstream.ts';

const QUESTION = ',"stream_options":{"include_usage":true}';
const bodyOf = (bytes: number): string => `{"messages":["${'x'.repeat(bytes)}"],"model":"m","stream":true}`;

async function run(
  parts: readonly Buffer[],
  options: { limits?: object; match?: object; script?: typeof asVllm } = {},
): Promise<{ got: WireMessage; requests: WireMessage[]; gateway: TestGateway }> {
  const requests: WireMessage[] = [];
  const { limits = {}, match = {}, script = asVllm } = options;
  await using upstream = await RawUpstream.start(script(requests));
  await using gateway = await TestGateway.start({ url: upstream.url, engine: 'vllm', match }, { config: { limits } });
  await using client = await rawClient(gateway.port);
  for (const part of parts) {
    client.write(part);
    await sleep(5);
  }
  const got = await client.message();
  await gateway.record();
  return { got, requests, gateway };
}

/** The body as a request that comes in three parts. */
function inParts(body: string): Buffer[] {
  const whole = post(CHAT, body);
  const start = whole.length - body.length;
  return [whole.subarray(0, start + 9), whole.subarray(start + 9, -12), whole.subarray(-12)];
}

test.each([
  ['small', 10],
  ['larger than the prefix, with stream behind it', 3 * 1024 * 1024],
])('a body that comes in parts is asked: %s', async (_what, bytes) => {
  const body = bodyOf(bytes);
  const { got, requests, gateway } = await run(inParts(body));
  expect(requests.map((sent) => sent.body.equals(Buffer.from(`${body.slice(0, -1)}${QUESTION}}`)))).toEqual([true]);
  expect(got.body.toString()).toBe(PLAIN_STREAM);
  expect(gateway.records[0]).toMatchObject({
    request_bytes: body.length,
    usage_source: 'reported',
    outcome: 'complete',
  });
  expect(gateway.records[0]?.upload_ms).toBeGreaterThan(0);
});

test('a body in chunks is asked, and sent with a length', async () => {
  const head = request(`POST ${CHAT}`, ['Transfer-Encoding: chunked']);
  const { requests } = await run([head, chunk('{"stream":'), chunk('true}'), Buffer.from(LAST_CHUNK)]);
  const body = `{"stream":true${QUESTION}}`;
  expect(requests[0]?.body.toString()).toBe(body);
  expect(headerOf(requests[0]?.headerLines ?? [], 'content-length')).toBe(String(body.length));
});

test('a body that turns out not to be JSON passes byte for byte', async () => {
  const head = request(`POST ${CHAT}`, ['Transfer-Encoding: chunked']);
  const { requests } = await run([head, chunk('{"stream":'), chunk('true]'), Buffer.from(LAST_CHUNK)]);
  expect(requests[0]?.body.toString()).toBe('{"stream":true]');
});

test('a body routed by its model is asked all the same', async () => {
  const body = bodyOf(100_000);
  const { requests } = await run(inParts(body), { match: { model: 'm' } });
  expect(requests[0]?.body.toString()).toBe(`${body.slice(0, -1)}${QUESTION}}`);
});

test('a body over the bound passes untouched, with a length and without', async () => {
  const limits = { body_buffer: '64KiB' };
  const body = bodyOf(200_000);
  const whole = post(CHAT, body);
  const { requests } = await run([whole.subarray(0, 70_000), whole.subarray(70_000)], { limits });
  expect(requests[0]?.body.equals(Buffer.from(body))).toBe(true);
  const chunks = [body.slice(0, 100_000), body.slice(100_000)].map(chunk);
  const sent = [request(`POST ${CHAT}`, ['Transfer-Encoding: chunked']), ...chunks, Buffer.from(LAST_CHUNK)];
  const chunked = await run(sent, { limits });
  expect(chunked.requests[0]?.body.equals(Buffer.from(body))).toBe(true);
});

test('a body for which there is no room beside the others passes untouched', async () => {
  const limits = { body_buffer: 6_000, body_buffer_total: 6_000 };
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start({ url: upstream.url, engine: 'vllm' }, { config: { limits } });
  const asked: boolean[] = [];
  for (const number of [0, 1]) {
    const client = await rawClient(gateway.port);
    client.write(post(CHAT, bodyOf(4_000)));
    asked.push((await (await upstream.connection(number)).message()).body.includes('stream_options'));
  }
  expect(asked).toEqual([true, false]);
});

test('what the body says early lets it pass at once', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start({ url: upstream.url, engine: 'vllm' });
  for (const [number, start] of ['{"stream":false,', '{"stream_options":null,', '[1,'].entries()) {
    await using client = await rawClient(gateway.port);
    client.write(request(`POST ${CHAT}`, ['Content-Length: 99'], start));
    await (await upstream.connection(number)).text(start);
  }
});

test('the memory of asked bodies is given back, however they end', async () => {
  const requests: WireMessage[] = [];
  const body = bodyOf(5_000);
  // Room for one at a time.
  const limits = { body_buffer: 6_000, body_buffer_total: 6_000 };
  const answers = [
    streamed(PLAIN_STREAM),
    answer('400 No', ['text/plain'], 'no'),
    answer('500 No', ['text/plain'], 'no'),
    answer('422 No', ['text/plain'], 'stream_options'),
    answer('503 No', ['text/plain'], 'no'),
  ];
  await using upstream = await RawUpstream.start(byRequest(requests, () => answers.shift() ?? streamed(PLAIN_STREAM)));
  await using gateway = await TestGateway.start({ url: upstream.url, engine: 'vllm' }, { config: { limits } });
  await using client = await rawClient(gateway.port);
  for (let number = 0; number < 5; number += 1) {
    client.write(post(CHAT, body));
    await client.message();
    await gateway.record(number);
  }
  expect(requests.map((sent) => sent.body.includes('stream_options'))).toEqual([true, true, true, true, false, true]);
});
