import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { chunk, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { rawClient, request } from '../../helpers/raw-client.ts';
import { OK, RawUpstream } from '../../helpers/raw-upstream.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

test("Node's server bounds the time for a head, not for a request, and keeps idle connections longer than load balancers do", async () => {
  await using upstream = await RawUpstream.start((connection) => connection.write(OK));
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  let server: Server | null = null;
  // Node publishes `{ request, response, socket, server }`.
  const onRequest = (message: unknown) => {
    server = (message as { server: Server }).server;
  };
  subscribe('http.server.request.start', onRequest);
  client.write(request('GET /'));
  await client.message();
  unsubscribe('http.server.request.start', onRequest);
  expect(server).toMatchObject({
    headersTimeout: 60_000,
    requestTimeout: 0,
    timeout: 0,
    keepAliveTimeout: 75_000,
    maxHeadersCount: 0,
  });
});

test('a pause within an answer that is longer than configured ends it, and the client sees the cut', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start({ url: upstream.url, timeouts: { idle: '150ms' } });
  await using client = await rawClient(gateway.port);
  client.write(request('GET /'));
  const connection = await upstream.connection();
  await connection.message();
  connection.write(HEAD);
  connection.write(chunk('one'));
  await client.text('one');
  await client.closed();
  await connection.closed();
  expect(client.received.toString()).not.toContain(LAST_CHUNK);
  expect(await gateway.record()).toMatchObject({ outcome: 'upstream_timeout', status: 200 });
});

test('a slow client is no pause of the upstream', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start({ url: upstream.url, timeouts: { idle: '150ms' } });
  await using client = await rawClient(gateway.port);
  client.write(request('GET /'));
  const connection = await upstream.connection();
  await connection.message();
  client.socket.pause();
  connection.write(HEAD);
  for (let sent = 0; sent < 30; sent += 1) connection.write(chunk(Buffer.alloc(1_000_000)));
  connection.write(LAST_CHUNK);
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(gateway.records).toHaveLength(0);
  client.socket.resume();
  expect(await gateway.record()).toMatchObject({ outcome: 'complete', response_bytes: 30_000_000 });
});
