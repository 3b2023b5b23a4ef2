import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { chunk, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { post, rawClient } from '../../helpers/raw-client.ts';
import type { RawSocket } from '../../helpers/raw-socket.ts';
import { RawUpstream } from '../../helpers/raw-upstream.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const STREAMS = 300;

test('300 streams run at once, none waits for another', async () => {
  const open: RawSocket[] = [];
  await using upstream = await RawUpstream.start(async (connection) => {
    await connection.message();
    connection.write(HEAD);
    open.push(connection);
  });
  await using gateway = await TestGateway.start(upstream.url);
  const clients = await Promise.all(Array.from({ length: STREAMS }, () => rawClient(gateway.port)));
  for (const client of clients) client.write(post('/v1/chat/completions', '{"stream":true}'));
  await expect.poll(() => open.length, { timeout: 10_000 }).toBe(STREAMS);
  expect(gateway.status().inFlight).toBe(STREAMS);
  for (const connection of open) connection.write(chunk('data: [DONE]\n\n') + LAST_CHUNK);
  for (const client of clients) {
    expect((await client.message()).body.toString()).toBe('data: [DONE]\n\n');
    await client[Symbol.asyncDispose]();
  }
  await gateway.record(STREAMS - 1);
});

test('max_connections bounds them, and every request gets its turn', async () => {
  await using upstream = await RawUpstream.start(async (connection) => {
    for (;;) {
      const { startLine } = await connection.message();
      connection.write(`HTTP/1.1 200 OK\r\nContent-Length: ${startLine.length}\r\n\r\n${startLine}`);
    }
  });
  await using gateway = await TestGateway.start({ url: upstream.url, max_connections: 2 });
  const clients = await Promise.all(Array.from({ length: 20 }, () => rawClient(gateway.port)));
  for (const [number, client] of clients.entries()) client.write(post(`/${number}`, '{}'));
  for (const [number, client] of clients.entries()) {
    expect((await client.message()).body.toString()).toBe(`POST /${number} HTTP/1.1`);
    await client[Symbol.asyncDispose]();
  }
  expect(upstream.connections.length).toBeLessThanOrEqual(2);
});
