import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Baseline } from '../../helpers/baseline.ts';
import { TestGateway } from '../../helpers/gateway.ts';
import { chunk, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { post, rawClient, request } from '../../helpers/raw-client.ts';
import type { RawSocket } from '../../helpers/raw-socket.ts';
import { RawUpstream } from '../../helpers/raw-upstream.ts';

const ROUNDS = 400;
const AT_ONCE = 20;

/** A repeatable source of chance (mulberry32). */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pick = <T>(random: () => number, options: readonly T[]): T | undefined =>
  options[Math.floor(random() * options.length)];

type Leave = (socket: RawSocket) => void;
const LEAVES: readonly Leave[] = [
  (socket) => socket.reset(),
  (socket) => socket.end(),
  (socket) => socket.socket.destroy(),
  (socket) => socket.write('\0garbage\r\n\r\n'),
  () => {},
];

/** Answers as an upstream might, and breaks off anywhere. */
async function upstreamOnce(connection: RawSocket, random: () => number): Promise<void> {
  for (;;) {
    await connection.text('\r\n\r\n');
    const steps = [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n',
      '\r\n',
      chunk('data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n'),
      chunk(Buffer.alloc(50_000)),
      chunk('data: [DONE]\n\n'),
      LAST_CHUNK,
    ];
    const breakAt = random() < 0.5 ? Math.floor(random() * steps.length) : steps.length;
    for (const step of steps.slice(0, breakAt)) {
      connection.write(step);
      if (random() < 0.5) await sleep(random() * 4);
    }
    if (breakAt < steps.length) return pick(random, LEAVES)?.(connection);
    connection.received = Buffer.alloc(0);
  }
}

async function clientOnce(port: number, random: () => number): Promise<void> {
  await using client = await rawClient(port);
  const body = Buffer.alloc(Math.floor(random() * 200_000), 'x');
  const sent = pick(random, [
    post('/v1/chat/completions', '{"model":"m","stream":true}'),
    request('POST /upload', [`Content-Length: ${body.length}`], body),
    request('GET /v1/models'),
    Buffer.concat([request('GET /one'), request('GET /two')]),
  ]);
  if (sent === undefined) return;
  const cutAt = random() < 0.3 ? Math.floor(random() * sent.length) : sent.length;
  client.write(sent.subarray(0, cutAt));
  // Half of them wait for their answer, not forever; the others break off.
  if (random() < 0.5) await Promise.race([client.message().catch(() => null), sleep(300)]);
  else await sleep(random() * 12);
  pick(random, LEAVES)?.(client);
  await sleep(random() * 12);
}

test('whoever breaks off wherever: every request ends once, nothing is left, nobody falls over', async () => {
  const random = chance(20_261_130);
  await using upstream = await RawUpstream.start((connection) => upstreamOnce(connection, random));
  await using gateway = await TestGateway.start(upstream.url);
  const baseline = new Baseline(gateway);
  for (let round = 0; round < ROUNDS; round += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => clientOnce(gateway.port, random)));
  }
  for (const { socket } of upstream.connections) socket.destroy();
  await baseline.restored();
  const ids = gateway.records.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  // Ids are counted when a request is opened: none is missing among the records.
  const numbers = ids.map((id) => Number(id.slice(id.lastIndexOf('-') + 1)));
  expect(Math.max(...numbers)).toBe(ids.length);
  const outcomes = new Set(gateway.records.map(({ outcome }) => outcome));
  for (const outcome of ['complete', 'client_aborted', 'upstream_reset'] as const) expect(outcomes).toContain(outcome);
});
