import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { post, rawClient, request } from '../../helpers/raw-client.ts';
import { OK, RawUpstream } from '../../helpers/raw-upstream.ts';

test.each([
  ['503 with Retry-After', 'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n'],
  ['429', 'HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n'],
  ['a redirect', 'HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n'],
])('%s is relayed, and nothing is sent again', async (_what, answer) => {
  let requests = 0;
  await using upstream = await RawUpstream.start(async (connection) => {
    for (;;) {
      await connection.message();
      requests += 1;
      connection.write(answer);
    }
  });
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('GET /'));
  expect(`${(await client.message()).startLine}\r\n`).toBe(answer.slice(0, answer.indexOf('\r\n') + 2));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(requests).toBe(1);
  expect(upstream.connections).toHaveLength(1);
});

test.each([request('GET /'), post('/', '{}')])('a request whose connection breaks is not sent again', async (sent) => {
  let requests = 0;
  await using upstream = await RawUpstream.start(async (connection) => {
    await connection.message();
    requests += 1;
    connection.reset();
  });
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(sent);
  expect((await client.message()).startLine).toContain('502');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(requests).toBe(1);
});

test('over connections that the upstream keeps closing, no request arrives twice, and none is lost without an answer', async () => {
  const seen = new Map<string, number>();
  await using upstream = await RawUpstream.start(async (connection) => {
    for (let number = 0; number < 3; number += 1) {
      const { startLine } = await connection.message();
      seen.set(startLine, (seen.get(startLine) ?? 0) + 1);
      connection.write(OK);
    }
    // Unannounced, while the gateway may be about to use it.
    connection.socket.destroy();
  });
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  let answered = 0;
  for (let number = 0; number < 200; number += 1) {
    client.write(post(`/${number}`, '{}'));
    const { startLine } = await client.message();
    if (startLine.includes('200')) answered += 1;
    else expect(startLine).toContain('502');
  }
  expect(Math.max(...seen.values())).toBe(1);
  expect(answered).toBeGreaterThan(100);
  expect(gateway.records).toHaveLength(200);
});

test('a connection idle for longer than keep_alive is not used again', async () => {
  await using upstream = await RawUpstream.start(async (connection) => {
    await connection.message();
    connection.write(OK);
  });
  await using gateway = await TestGateway.start({ url: upstream.url, keep_alive: '50ms' });
  await using client = await rawClient(gateway.port);
  client.write(request('GET /'));
  await client.message();
  const connection = await upstream.connection();
  await connection.closed();
});
