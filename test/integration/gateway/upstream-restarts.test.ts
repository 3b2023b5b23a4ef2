import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Baseline } from '../../helpers/baseline.ts';
import { TestGateway } from '../../helpers/gateway.ts';
import { chunk, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { post, rawClient } from '../../helpers/raw-client.ts';
import type { RawSocket } from '../../helpers/raw-socket.ts';
import { RawUpstream } from '../../helpers/raw-upstream.ts';
import { CHAT } from '../../helpers/usage-upstream.ts';

const CLIENTS = 20;
const RESTARTS = 12;
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const token = chunk('data: {"model":"m","choices":[{"index":0,"delta":{"content":"x"}}]}\n\n');
const finish = chunk('data: {"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n');

/** How often each request has come. */
const seen = new Map<string, number>();

/** A short stream for each request. */
async function serve(connection: RawSocket): Promise<void> {
  for (;;) {
    const { body } = await connection.message();
    const { user }: { user: string } = JSON.parse(body.toString());
    seen.set(user, (seen.get(user) ?? 0) + 1);
    await sleep(2);
    connection.write(HEAD);
    for (let tokens = 0; tokens < 5; tokens += 1) {
      connection.write(token);
      await sleep(2);
    }
    connection.write(Buffer.concat([finish, Buffer.from(LAST_CHUNK)]));
  }
}

test('an upstream that is restarted under load, again and again, costs what was running on it and nothing else', async () => {
  await using upstream = await RawUpstream.start(serve);
  await using gateway = await TestGateway.start(upstream.url);
  const baseline = new Baseline(gateway);
  const ends = { whole: 0, cut: 0, refused: 0 };
  let isOver = false;

  const clientOnce = async (name: string) => {
    await using client = await rawClient(gateway.port);
    client.write(post(CHAT, `{"model":"m","stream":true,"user":"${name}"}`));
    const answer = await client.message().catch(() => null);
    if (answer === null) ends.cut += 1;
    else if (answer.startLine.includes(' 200 ')) ends.whole += 1;
    else {
      expect(answer.startLine).toContain(' 502 ');
      ends.refused += 1;
    }
  };
  const load = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let number = 0; !isOver; number += 1) await clientOnce(`${client}-${number}`);
  });
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    await sleep(60);
    await upstream.stop();
    await sleep(restart % 3 === 0 ? 0 : 15);
    await upstream.listen();
  }
  await sleep(60);
  isOver = true;
  await Promise.all(load);
  await clientOnce('the last');
  for (const { socket } of upstream.connections) socket.destroy();

  const records = await baseline.restored();
  const count = (...outcomes: string[]) => records.filter(({ outcome }) => outcomes.includes(outcome)).length;
  expect(records).toHaveLength(ends.whole + ends.cut + ends.refused);
  expect(count('complete')).toBe(ends.whole);
  expect(count('upstream_reset', 'upstream_unreachable')).toBe(ends.cut + ends.refused);
  expect(Math.max(...seen.values())).toBe(1);
  expect(seen.get('the last')).toBe(1);
  expect(ends.whole).toBeGreaterThan(0);
  expect(ends.cut).toBeGreaterThan(0);
});
