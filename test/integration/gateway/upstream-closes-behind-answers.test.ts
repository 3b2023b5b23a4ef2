import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { post, rawClient } from '../../helpers/raw-client.ts';
import { OK, RawUpstream } from '../../helpers/raw-upstream.ts';

/** Milliseconds between the answer and the close; llama.cpp closes at once, a busy machine a little later. */
const DELAYS = [0, 1, 3, 8];

test.each(DELAYS)(
  'a server that closes %i ms behind every answer gets every request once, and none fails',
  async (delayMs) => {
    let requests = 0;
    await using upstream = await RawUpstream.start(async (connection) => {
      await connection.message();
      requests += 1;
      connection.write(OK);
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      connection.socket.end();
    });
    await using gateway = await TestGateway.start(upstream.url);
    await using client = await rawClient(gateway.port);
    for (let number = 0; number < 40; number += 1) {
      client.write(post(`/${number}`, '{}'));
      expect((await client.message()).startLine).toBe('HTTP/1.1 200 OK');
    }
    expect(requests).toBe(40);
  },
);

test('a server that keeps its connections gets few of them', async () => {
  await using upstream = await RawUpstream.start(async (connection) => {
    for (;;) {
      await connection.message();
      connection.write(OK);
    }
  });
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  for (let number = 0; number < 20; number += 1) {
    client.write(post(`/${number}`, '{}'));
    await client.message();
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  expect(upstream.connections.length).toBeLessThan(4);
});
