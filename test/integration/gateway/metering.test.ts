import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { chunk, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { post, rawClient, request } from '../../helpers/raw-client.ts';
import { answering, OK, RawUpstream } from '../../helpers/raw-upstream.ts';

const CHAT = '/v1/chat/completions';
const delta = (content: string) =>
  chunk(`data: {"model":"m1","choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`);
const USAGE = chunk('data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}\n\n');
const STREAM = Buffer.concat([
  Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nX-Request-Id: up-1\r\n'),
  Buffer.from('Transfer-Encoding: chunked\r\n\r\n'),
  delta('a'),
  delta('b'),
  USAGE,
  chunk('data: [DONE]\n\n'),
  Buffer.from(LAST_CHUNK),
]);

test('a streamed chat ends in one record with everything the request and the answer said', async () => {
  await using upstream = await RawUpstream.start(answering(STREAM));
  await using gateway = await TestGateway.start(upstream.url, {
    config: { identity: { user: [{ body: 'user' }, { header: 'x-user-id' }] } },
  });
  await using client = await rawClient(gateway.port);
  const headers = [
    'X-Request-Id: client-1',
    'X-User-Id: by-header',
    'Traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  ];
  const bodies = ['{"model":"m","stream":true,"user":"by-body"}', '{"model":"m","stream":true}'];
  for (const [number, body] of bodies.entries()) {
    client.write(post(`/openai${CHAT}?key=secret`, body, headers));
    expect((await client.message()).body.toString()).toContain('[DONE]');
    expect(await gateway.record(number)).toMatchObject({
      request_id: 'client-1',
      upstream_request_id: 'up-1',
      trace_id: '0af7651916cd43dd8448eb211c80319c',
      user: number === 0 ? 'by-body' : 'by-header',
      upstream: 'u0',
      model: 'm1',
      requested_model: 'm',
      api: 'openai.chat',
      method: 'POST',
      path: `/openai${CHAT}`,
      stream: true,
      status: 200,
      outcome: 'complete',
      input_tokens: 7,
      output_tokens: 2,
      usage_source: 'reported',
      request_bytes: body.length,
      error: null,
    });
  }
  expect(new Set(gateway.records.map(({ id }) => id)).size).toBe(2);
  expect(JSON.stringify(gateway.records)).not.toContain('secret');
});

test('metering off: relayed, and requests and bytes counted, nothing read', async () => {
  await using upstream = await RawUpstream.start(answering(STREAM));
  await using gateway = await TestGateway.start({ url: upstream.url, metering: 'off' });
  await using client = await rawClient(gateway.port);
  client.write(post(CHAT, '{"model":"m","stream":true}'));
  const { body } = await client.message();
  expect(await gateway.record()).toMatchObject({
    api: 'openai.chat',
    outcome: 'complete',
    response_bytes: body.length,
    output_tokens: null,
    ttft_ms: null,
    usage_source: 'none',
  });
});

test('a fault of metering is counted, and the relay goes on', async () => {
  await using upstream = await RawUpstream.start(answering(STREAM));
  await using gateway = await TestGateway.start(upstream.url, {
    mayLogErrors: true,
    openMeter: () => {
      throw new TypeError('the prompt must not be logged');
    },
  });
  await using client = await rawClient(gateway.port);
  for (let round = 0; round < 2; round += 1) {
    client.write(post(CHAT, '{"model":"m","stream":true}'));
    expect((await client.message()).body.toString()).toContain('[DONE]');
  }
  expect(gateway.degraded).toEqual(['meter_error', 'meter_error']);
  expect(gateway.errors.join()).not.toContain('prompt');
});

test('times are taken where CONTRACT §1 takes them', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request(`POST ${CHAT}`, ['Content-Length: 27'], '{"model":"m",'));
  const connection = await upstream.connection();
  await connection.text('{"model":"m",');
  await new Promise((resolve) => setTimeout(resolve, 60));
  client.write('"stream":true}');
  await connection.message();
  await new Promise((resolve) => setTimeout(resolve, 60));
  connection.write(STREAM);
  await client.message();
  const record = await gateway.record();
  expect(record.upload_ms).toBeGreaterThanOrEqual(55);
  expect(record.ttft_ms).toBeGreaterThanOrEqual(55);
  expect(record.e2e_ms).toBeGreaterThanOrEqual((record.upload_ms ?? 0) + (record.ttft_ms ?? 0));
});

test('every request, whatever it asks, ends in exactly one record', async () => {
  await using upstream = await RawUpstream.start(answering(OK));
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  const sent = [request('GET /v1/models'), request('HEAD /'), request('OPTIONS /x'), post('/x', 'x'), post(CHAT, '{}')];
  for (const bytes of sent) {
    client.write(bytes);
    await client.message({ hasNoBody: bytes.subarray(0, 4).toString() === 'HEAD' });
  }
  await gateway.record(sent.length - 1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(gateway.records).toHaveLength(sent.length);
  expect(gateway.status()).toMatchObject({ up: true, inFlight: 0 });
});
