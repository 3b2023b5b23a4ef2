import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { rawClient, request } from '../../helpers/raw-client.ts';
import { RawUpstream } from '../../helpers/raw-upstream.ts';

const PART = Buffer.alloc(16_000, 'x');

/** A client that stopped reading, and an upstream that has just sent the bytes for which the gateway had to stop. */
async function paused(head: string) {
  const upstream = await RawUpstream.start();
  const gateway = await TestGateway.start(upstream.url);
  const client = await rawClient(gateway.port);
  client.write(request('GET /'));
  const connection = await upstream.connection();
  await connection.message();
  client.socket.pause();
  connection.write(head);
  let sentBytes = 0;
  for (let relayed = -1; gateway.relayed !== relayed; ) {
    relayed = gateway.relayed;
    connection.write(PART);
    sentBytes += PART.length;
    for (let waited = 0; gateway.relayed === relayed && waited < 100; waited += 1) await sleep(1);
  }
  return {
    gateway,
    client,
    connection,
    sentBytes,
    async [Symbol.asyncDispose]() {
      for (const part of [client, gateway, upstream]) await part[Symbol.asyncDispose]();
    },
  };
}

test('a body that ends with its connection, while the client does not read, is whole once it reads on', async () => {
  await using open = await paused('HTTP/1.1 200 OK\r\n\r\n');
  open.connection.end();
  await sleep(50);
  open.client.socket.resume();
  expect(await open.gateway.record()).toMatchObject({ outcome: 'complete', response_bytes: open.sentBytes });
  expect((await open.client.message()).body.length).toBe(open.sentBytes);
});

test.each([
  ['a body that ends with its connection', 'HTTP/1.1 200 OK\r\n\r\n'],
  ['a length and Connection: close', 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 99000000\r\n\r\n'],
  ['a length', 'HTTP/1.1 200 OK\r\nContent-Length: 99000000\r\n\r\n'],
])('with %s, a reset while the client does not read is a cut, and nobody falls over', async (_what, head) => {
  await using open = await paused(head);
  open.connection.reset();
  await sleep(50);
  open.client.socket.resume();
  expect((await open.gateway.record()).outcome).toBe('upstream_reset');
  await open.client.closed();
  expect(open.client.received.subarray(-7).toString()).not.toContain('0\r\n\r\n');
});

test('answers that end with their connection are whole at every size around the buffers, however late they are read', async () => {
  for (const bytes of [1, 16_383, 16_384, 65_535, 65_536, 65_537, 300_000]) {
    await using upstream = await RawUpstream.start(async (connection) => {
      await connection.message();
      connection.write('HTTP/1.1 200 OK\r\n\r\n');
      connection.end(Buffer.alloc(bytes, 'x'));
    });
    await using gateway = await TestGateway.start(upstream.url);
    await using client = await rawClient(gateway.port);
    client.socket.pause();
    client.write(request('GET /'));
    await sleep(30);
    client.socket.resume();
    expect((await client.message()).body.length).toBe(bytes);
    expect(await gateway.record()).toMatchObject({ outcome: 'complete', response_bytes: bytes });
  }
});
