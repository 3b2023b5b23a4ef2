import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Baseline } from '../../helpers/baseline.ts';
import { TestGateway } from '../../helpers/gateway.ts';
import { headerOf } from '../../helpers/http-bytes.ts';
import { post, rawClient } from '../../helpers/raw-client.ts';
import { OK, RawUpstream, type Script } from '../../helpers/raw-upstream.ts';

/** The server closes a connection that was idle for so long. */
const IDLE_MS = 60;
const POSTS = 500;
const LANES = 20;

/** Keeps connections alive, and closes each that was idle for a while: the moment at which a proxy may be writing to it. */
function closingWhenIdle(seen: Map<string, number>, end: 'end' | 'reset'): Script {
  return async (connection) => {
    for (;;) {
      const timer = setTimeout(() => (end === 'end' ? connection.end() : connection.reset()), IDLE_MS);
      const { startLine } = await connection.message();
      clearTimeout(timer);
      seen.set(startLine, (seen.get(startLine) ?? 0) + 1);
      connection.write(OK);
    }
  };
}

test.each(['end', 'reset'] as const)(
  'of 500 POSTs spaced around the idle time of a server that closes (by %s), each reaches it once at most, and none is silent',
  async (end) => {
    const seen = new Map<string, number>();
    await using upstream = await RawUpstream.start(closingWhenIdle(seen, end));
    await using gateway = await TestGateway.start(upstream.url);
    const baseline = new Baseline(gateway);
    const statuses: string[] = [];
    const lane = async (number: number) => {
      await using client = await rawClient(gateway.port);
      for (let sent = 0; sent < POSTS / LANES; sent += 1) {
        client.write(post(`/${number}-${sent}`, '{}'));
        const { startLine, headerLines } = await client.message();
        statuses.push(startLine.split(' ')[1] ?? '');
        if (!startLine.includes(' 200 ')) {
          expect(headerOf(headerLines, 'x-pitot-error')).toBe('PITOT_UPSTREAM_RESET');
        }
        // From well before the idle time to well behind it.
        await sleep(IDLE_MS - 15 + ((sent * 7 + number) % 30));
      }
    };
    await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
    for (const { socket } of upstream.connections) socket.destroy();
    const records = await baseline.restored();
    expect(records).toHaveLength(POSTS);
    expect(Math.max(...seen.values())).toBe(1);
    const served = statuses.filter((status) => status === '200').length;
    expect(records.filter(({ outcome }) => outcome === 'complete')).toHaveLength(served);
    expect(records.filter(({ outcome }) => outcome === 'upstream_reset')).toHaveLength(POSTS - served);
    // What is learned from the first closes spares the others; on a busy machine, some come late all the same.
    expect(served).toBeGreaterThan(POSTS / 2);
  },
);
