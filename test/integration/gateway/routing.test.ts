import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TestGateway, type UpstreamKeys } from '../../helpers/gateway.ts';
import { post, rawClient, request } from '../../helpers/raw-client.ts';
import { RawUpstream, type Script } from '../../helpers/raw-upstream.ts';
import { until } from '../../helpers/until.ts';

const CHAT = '/v1/chat/completions';

/** Answers every request with its name and the body it got. */
function naming(name: string): Script {
  return async (connection) => {
    for (;;) {
      const { body } = await connection.message();
      const said = `${name} ${body.length}`;
      connection.write(`HTTP/1.1 200 OK\r\nContent-Length: ${said.length}\r\n\r\n${said}`);
    }
  };
}

/** Two upstreams, `first` and `second`, in front of which each request is sent; what was answered. */
async function answers(match: Record<string, unknown>, sent: Buffer[], config = {}) {
  await using first = await RawUpstream.start(naming('first'));
  await using second = await RawUpstream.start(naming('second'));
  const upstreams: UpstreamKeys[] = [{ url: first.url, match }, { url: second.url }];
  await using gateway = await TestGateway.start(upstreams, { config });
  const got: string[] = [];
  for (const bytes of sent) {
    await using client = await rawClient(gateway.port);
    client.write(bytes);
    const { body, headerLines } = await client.message();
    const error = headerLines.find((line) => line.startsWith('x-pitot-error'));
    got.push(error?.replace('x-pitot-error: ', '') ?? body.toString());
  }
  return { got, records: gateway.records };
}

test('a path prefix takes whole segments of the path as it was sent', async () => {
  const paths = ['/v1', '/v1/x', '/v1?x', '/v1x', '/V1/x', '/', '/%761/x', '//v1/x'];
  const { got } = await answers(
    { path: '/v1' },
    paths.map((path) => request(`GET ${path}`)),
  );
  expect(got.map((answer) => answer.split(' ')[0])).toEqual([
    'first',
    'first',
    'first',
    'second',
    'second',
    'second',
    'second',
    'second',
  ]);
});

test('a host is matched whatever its case, and without a port stands for every port', async () => {
  const hosts = ['llm.example', 'LLM.Example:8080', 'llm.example.evil', 'x.llm.example'];
  const { got } = await answers(
    { host: 'llm.example' },
    hosts.map((host) => request('GET /', [`Host: ${host}`])),
  );
  expect(got.map((answer) => answer.split(' ')[0])).toEqual(['first', 'first', 'second', 'second']);
});

test('a model is matched as a glob over what the body names', async () => {
  const bodies = ['{"model":"llama-3.1-8b"}', '{"model":"xllama"}', '{"stream":true}', 'no JSON', '[]'];
  const { got } = await answers(
    { model: 'llama*' },
    bodies.map((body) => post(CHAT, body)),
  );
  expect(got).toEqual(['first 24', 'second 18', 'second 15', 'second 7', 'second 2']);
});

test('a request without a body names no model', async () => {
  const { got } = await answers({ model: '*' }, [request('GET /v1/models')]);
  expect(got).toEqual(['second 0']);
});

test('a model at the end of a long body is found, and the body arrives whole', async () => {
  const body = `{"messages":"${'x'.repeat(3_000_000)}","model":"llama"}`;
  const { got, records } = await answers({ model: 'llama*' }, [post(CHAT, body)]);
  expect(got).toEqual([`first ${body.length}`]);
  expect(records[0]).toMatchObject({ request_bytes: body.length, upstream: 'u0' });
});

test('a model at the start of a long body is found before the rest has come', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start({ url: upstream.url, match: { model: 'llama*' } });
  await using client = await rawClient(gateway.port);
  client.write(request(`POST ${CHAT}`, ['Content-Length: 100000'], '{"model":"llama","x":"'));
  const connection = await upstream.connection();
  await connection.text('{"model":"llama","x":"');
});

test('a body larger than body_buffer before its model was found is refused, never sent elsewhere', async () => {
  const body = `{"messages":"${'x'.repeat(300_000)}","model":"llama"}`;
  const sent = [post(CHAT, body), post(CHAT, '{"x":"'.padEnd(5_000, 'x'))];
  const { got, records } = await answers({ model: 'llama*' }, sent, { limits: { body_buffer: 4_096 } });
  expect(got).toEqual(['PITOT_MODEL_UNKNOWN', 'PITOT_MODEL_UNKNOWN']);
  expect(records[0]).toMatchObject({ outcome: 'rejected', status: 400, error: 'PITOT_MODEL_UNKNOWN', upstream: null });
});

test.each([10, 30, 50, 60])('a model %i KiB into a body is found, where body_buffer is 64 KiB', async (kibibytes) => {
  const body = `{"messages":"${'x'.repeat(kibibytes * 1024)}","model":"llama","more":"${'x'.repeat(100_000)}"}`;
  await using upstream = await RawUpstream.start();
  const keys = { url: upstream.url, usage: 'never', match: { model: 'llama*' } };
  await using gateway = await TestGateway.start(keys, { config: { limits: { body_buffer: '64KiB' } } });
  await using client = await rawClient(gateway.port);
  const sent = post(CHAT, body);
  for (let at = 0; at < sent.length; at += 10_500) {
    client.write(sent.subarray(at, at + 10_500));
    await sleep(2);
  }
  expect((await (await upstream.connection()).message()).body.toString()).toBe(body);
});

test('a body that finds no room beside those that wait for their model is told to come again, and those go on', async () => {
  await using upstream = await RawUpstream.start(naming('first'));
  const limits = { body_buffer: 80_000, body_buffer_total: 100_000 };
  await using gateway = await TestGateway.start(
    { url: upstream.url, usage: 'never', match: { model: 'llama*' } },
    { config: { limits } },
  );
  const body = `{"messages":"${'x'.repeat(70_000)}","model":"llama"}`;
  const early = post(CHAT, body).subarray(0, -20);
  await using waiting = await rawClient(gateway.port);
  waiting.write(early);
  await until(() => waiting.socket.bytesWritten === early.length && waiting.socket.writableLength === 0);
  await sleep(20);
  await using client = await rawClient(gateway.port);
  client.write(early);
  const { startLine, headerLines, body: said } = await client.message();
  expect(startLine).toBe('HTTP/1.1 503 Service Unavailable');
  expect(headerLines).toContain('x-pitot-error: PITOT_OVERLOADED');
  expect(JSON.parse(said.toString()).error.message).toContain('Send the request again');
  expect(await gateway.record()).toMatchObject({ outcome: 'rejected', status: 503, error: 'PITOT_OVERLOADED' });
  waiting.write(post(CHAT, body).subarray(-20));
  expect((await waiting.message()).body.toString()).toBe(`first ${body.length}`);
});

test('bodies that are held share one budget, and give it back', async () => {
  const body = `{"messages":"${'x'.repeat(200_000)}","model":"llama"}`;
  const sent = [post(CHAT, body), post(CHAT, body), post(CHAT, body), post(CHAT, body)];
  const { got } = await answers({ model: 'llama*' }, sent, {
    limits: { body_buffer: 300_000, body_buffer_total: 300_000 },
  });
  expect(got).toEqual(Array(4).fill(`first ${body.length}`));
});

test('the first upstream that matches wins', async () => {
  const { got } = await answers({}, [request('GET /')]);
  expect(got).toEqual(['first 0']);
});
