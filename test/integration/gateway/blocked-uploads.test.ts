import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Baseline } from '../../helpers/baseline.ts';
import { TestGateway } from '../../helpers/gateway.ts';
import { rawClient, request } from '../../helpers/raw-client.ts';
import { RawUpstream } from '../../helpers/raw-upstream.ts';
import { until } from '../../helpers/until.ts';

const PART = Buffer.alloc(2 ** 20, 'x');
const TOTAL = 200 * PART.length;

// The gateway asks every few seconds; here they pass at a word. Sockets and all other timers are real.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A client amid an upload of which the upstream takes nothing, so that nobody reads what the client does. */
async function blocked() {
  const upstream = await RawUpstream.start(({ socket }) => {
    socket.pause();
  });
  const gateway = await TestGateway.start({ url: upstream.url, usage: 'never' });
  const baseline = new Baseline(gateway);
  const client = await rawClient(gateway.port);
  client.write(request('POST /v1/files', [`Content-Length: ${TOTAL}`]));
  const connection = await upstream.connection();
  // Until a part of it finds no place in any buffer on the way.
  let isTaken = true;
  while (isTaken) {
    client.write(PART);
    const deadlineMs = performance.now() + 300;
    await until(() => client.socket.writableLength === 0 || performance.now() > deadlineMs);
    isTaken = client.socket.writableLength === 0;
  }
  return {
    gateway,
    client,
    connection,
    async [Symbol.asyncDispose]() {
      for (const { socket } of [client, connection]) socket.destroy();
      await baseline.restored();
      for (const part of [gateway, upstream]) await part[Symbol.asyncDispose]();
    },
  };
}

test('a client that resets while nobody reads it is asked, and its leaving noticed', async () => {
  await using open = await blocked();
  open.client.reset();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(open.gateway.records).toEqual([]);
  vi.advanceTimersByTime(5_000);
  expect(await open.gateway.record()).toMatchObject({ outcome: 'client_aborted', status: 499 });
  open.connection.socket.resume();
  await open.connection.closed();
});

test('a client that is still there is asked as often, and hears nothing of it', async () => {
  await using open = await blocked();
  vi.advanceTimersByTime(600_000);
  expect(open.client.receivedBytes).toBe(0);
  // It goes on where it stopped, and its end is seen in time.
  open.connection.socket.resume();
  await until(() => open.client.socket.writableLength === 0);
  open.client.end();
  expect(await open.gateway.record()).toMatchObject({ outcome: 'client_aborted', status: 499 });
  await open.connection.closed();
});
