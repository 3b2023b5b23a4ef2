import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { chunk, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { rawClient, request } from '../../helpers/raw-client.ts';
import { RawUpstream } from '../../helpers/raw-upstream.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

test('pipelined answers come in the order of their requests, even when the second is ready first', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(Buffer.concat([request('GET /one'), request('GET /two')]));
  const [first, second] = [await upstream.connection(0), await upstream.connection(1)];
  await first.message();
  await second.message();
  second.write(HEAD + chunk('second') + LAST_CHUNK);
  first.write(HEAD + chunk('fi'));
  await client.text('fi');
  expect(client.received.toString()).not.toContain('second');
  first.write(chunk('rst') + LAST_CHUNK);
  expect((await client.message()).body.toString()).toBe('first');
  expect((await client.message()).body.toString()).toBe('second');
  await gateway.record(1);
  expect(gateway.records.map(({ path, outcome }) => `${path} ${outcome}`)).toEqual(['/one complete', '/two complete']);
});

test('a pipelined answer waits outside our memory for its turn', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(Buffer.concat([request('GET /one'), request('GET /two')]));
  const [first, second] = [await upstream.connection(0), await upstream.connection(1)];
  await first.message();
  await second.message();
  const part = Buffer.alloc(1_000_000, 'x');
  second.write(`HTTP/1.1 200 OK\r\nContent-Length: ${40 * part.length}\r\n\r\n`);
  for (let sent = 0; sent < 40; sent += 1) second.write(part);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(second.socket.writableLength).toBeGreaterThan(20_000_000);
  first.write(`${HEAD}${LAST_CHUNK}`);
  await client.until(() => (client.receivedBytes > 40_000_000 ? true : null));
  await client.message();
  expect((await client.message()).body.length).toBe(40_000_000);
});
