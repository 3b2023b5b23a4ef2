import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { post, rawClient, request } from '../../helpers/raw-client.ts';
import { answering, OK, RawUpstream } from '../../helpers/raw-upstream.ts';

const BODY = '{"model":"m","messages":[]}';

test('a request that no upstream takes is still known by its body', async () => {
  await using gateway = await TestGateway.start({ url: 'http://127.0.0.1:9', match: { path: '/elsewhere' } });
  await using client = await rawClient(gateway.port);
  client.write(post('/v1/chat/completions', BODY));
  expect((await client.message()).startLine).toContain('502');
  expect(await gateway.record()).toMatchObject({ request_bytes: BODY.length, requested_model: 'm', upstream: null });
});

test('of an upload that its client broke off, what came is counted', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('POST /v1/chat/completions', ['Content-Type: application/json', 'Content-Length: 5000'], BODY));
  const connection = await upstream.connection();
  await connection.text(BODY);
  client.reset();
  expect(await gateway.record()).toMatchObject({ request_bytes: BODY.length, outcome: 'client_aborted' });
});

test('a model that was found at the end of a long body to route by is the model of the record', async () => {
  await using upstream = await RawUpstream.start(answering(OK));
  await using gateway = await TestGateway.start({ url: upstream.url, match: { model: 'gpt*' } });
  await using client = await rawClient(gateway.port);
  const body = `{"messages":["${'x'.repeat(2_000_000)}"],"user":"u1","model":"gpt-x"}`;
  client.write(post('/v1/chat/completions', body));
  expect((await client.message()).startLine).toContain('200');
  expect(await gateway.record()).toMatchObject({ requested_model: 'gpt-x', request_bytes: body.length });
});

test('a pipelined answer that waits for the one ahead of it is not taken for a slow client', async () => {
  const event = (text: string) => `data: {"choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`;
  await using upstream = await RawUpstream.start(async (connection) => {
    const { startLine } = await connection.message();
    connection.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n');
    connection.write(event('a'));
    if (startLine.includes('/first/')) await new Promise((resolve) => setTimeout(resolve, 400));
    else for (let number = 0; number < 40; number += 1) connection.write(event('x'.repeat(1_000)));
    connection.write('data: [DONE]\n\n');
    connection.socket.end();
  });
  await using gateway = await TestGateway.start({ url: upstream.url, keep_alive: 0, usage: 'never' });
  await using client = await rawClient(gateway.port);
  client.write(Buffer.concat([post('/first/chat/completions', BODY), post('/second/chat/completions', BODY)]));
  await client.message();
  await client.message();
  const records = [await gateway.record(0), await gateway.record(1)];
  const second = records.find(({ path }) => path.startsWith('/second/'));
  expect(second).toMatchObject({ client_blocked_ms: 0, outcome: 'complete' });
});
