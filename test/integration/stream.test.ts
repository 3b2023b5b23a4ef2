import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { SnapshotEvent } from '../../src/live/stream-type.ts';
import { openAdmin } from '../helpers/admin.ts';
import { newBroadcast, secondsIn } from '../helpers/broadcast.ts';
import { EventStream } from '../helpers/event-stream.ts';
import { chatUpstream } from '../helpers/held-stream.ts';
import { runningApp } from '../helpers/running-app.ts';
import { until } from '../helpers/until.ts';

const TOKEN = 'a-secret-of-many-letters';
const isComment = ({ comment }: { comment: string | null }) => comment !== null;
const kinds = (events: { event: string | null }[]) => events.map(({ event }) => event);

/** An admin port with a broadcast whose time the test owns. */
async function openStreaming(options: { padding?: string; token?: () => string | null } = {}) {
  const test = newBroadcast(options);
  const admin = await openAdmin({ news: test.broadcast, token: options.token ?? (() => null) });
  return { ...admin, test, open: (headers?: Record<string, string>) => EventStream.open(admin.address, headers) };
}

describe('/api/stream', () => {
  it('tells the history, then a snapshot a second, under the headers of every answer', async () => {
    await using admin = await openStreaming();
    admin.test.pass(10_000);
    const stream = await admin.open();
    const { statusCode, headers } = stream.answer;
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      'no-store',
    ]);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['x-accel-buffering']).toBe('no');
    expect(kinds(await stream.heard(2))).toEqual(['history', 'snapshot']);
    admin.test.pass(1_000);
    await stream.heard(3);
    admin.test.pass(1_000);
    const events = await stream.heard(4);
    expect(kinds(events)).toEqual(['history', 'snapshot', 'snapshot', 'snapshot']);
    expect(stream.text.startsWith('retry: 2000\n\n')).toBe(true);
    expect(secondsIn(events)).toHaveLength(12);
    stream.leave();
  });

  it('goes on after a break where it was', async () => {
    await using admin = await openStreaming();
    admin.test.pass(10_000);
    const before = await admin.open();
    const told = await before.heard(2);
    before.leave();
    await until(() => !admin.test.isTicking);
    admin.test.pass(4_000);
    const after = await admin.open({ 'last-event-id': told.at(-1)?.id ?? '' });
    const missed = await after.heard(2);
    expect(missed[0]?.data).toMatchObject({ is_whole: false, count: 3 });
    const seconds = secondsIn([...told, ...missed]);
    expect(seconds).toEqual(Array.from({ length: 14 }, (_, index) => (seconds[0] ?? 0) + index));
    after.leave();
  });

  it('says that the connection lives when there is no snapshot', async () => {
    await using admin = await openStreaming();
    const stream = await admin.open();
    admin.test.breakDown(true);
    await stream.heard(2);
    admin.test.pass(1_000);
    const [comment] = (await stream.heard(1, isComment)).filter(isComment);
    expect(comment?.comment).toBe('no news');
    stream.leave();
  });

  it('stops all work when the last watcher has left, however it left', async () => {
    await using admin = await openStreaming();
    const one = await admin.open();
    const other = await admin.open();
    expect(admin.test.isTicking).toBe(true);
    one.leave();
    other.answer.socket.resetAndDestroy();
    await until(() => !admin.test.isTicking);
  });

  it('lets a watcher go that does not read', async () => {
    await using admin = await openStreaming({ padding: 'x'.repeat(1_000_000) });
    const deaf = await deafSocket(admin.address);
    await until(() => admin.test.isTicking);
    let seconds = 0;
    for (; admin.test.isTicking; seconds += 1) {
      admin.test.pass(1_000);
      // What the system's own buffers have room for is written by then.
      await nextTurns(10);
    }
    expect(seconds).toBeGreaterThanOrEqual(10);
    expect(seconds).toBeLessThan(60);
    deaf.resume();
    await until(() => deaf.destroyed);
  });

  it('has room for 32 watchers, and tells the next one so', async () => {
    await using admin = await openStreaming();
    const streams = await Promise.all(Array.from({ length: 32 }, () => admin.open()));
    const refused = await admin.ask('/api/stream');
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '10']);
    expect(refused.headers['content-type']).toMatch(/^application\/json/);
    expect(JSON.parse(refused.body)).toEqual({ error: expect.stringContaining('too many watch already') });
    for (const stream of streams) stream.leave();
    await until(() => admin.test.broadcast.hasRoom);
    const again = await admin.open();
    expect(again.answer.statusCode).toBe(200);
    again.leave();
  });

  it('answers HEAD with its head alone, and needs no room for it', async () => {
    await using admin = await openStreaming();
    const { status, headers, body } = await admin.ask('/api/stream', { method: 'HEAD' });
    expect([status, headers['content-type'], body]).toEqual([200, 'text/event-stream; charset=utf-8', '']);
    expect(admin.test.isTicking).toBe(false);
  });

  it('ends as it should when the port closes', async () => {
    const admin = await openStreaming();
    const stream = await admin.open();
    await stream.heard(1);
    await admin[Symbol.asyncDispose]();
    await stream.over();
    expect(stream.answer.complete).toBe(true);
    expect(admin.test.isTicking).toBe(false);
  });

  it('wants the token, in the header only', async () => {
    await using admin = await openStreaming({ token: () => TOKEN });
    for (const path of ['/api/stream', `/api/stream?token=${TOKEN}`, `/api/stream?access_token=${TOKEN}`])
      expect([path, (await admin.ask(path)).status]).toEqual([path, 401]);
    expect(admin.test.isTicking).toBe(false);
    const stream = await admin.open({ authorization: `Bearer ${TOKEN}` });
    expect(stream.answer.statusCode).toBe(200);
    stream.leave();
  });

  it('ends when the token it was opened with is no longer the token', async () => {
    let token = TOKEN;
    await using admin = await openStreaming({ token: () => token });
    const stream = await admin.open({ authorization: `Bearer ${TOKEN}` });
    await stream.heard(1);
    token = 'the-next-one';
    admin.test.pass(1_000);
    await stream.over();
    expect(stream.answer.complete).toBe(true);
  });
});

describe('the live view of a running gateway', () => {
  const isSnapshot =
    (claim: (snapshot: SnapshotEvent) => boolean) => (event: { event: string | null; data: unknown }) =>
      event.event === 'snapshot' && claim(event.data as SnapshotEvent);

  it('shows a request while it runs, and how it failed', async () => {
    await using upstream = await chatUpstream();
    await using gateway = await runningApp({
      upstreams: { url: upstream.url, gpus: 2 },
      config: { identity: { user: [{ header: 'x-user-id' }] }, shutdown_grace: '0s' },
    });
    const stream = await EventStream.open(gateway.adminUrl);
    const client = await upstream.ask(gateway.port, { user: 'ada', model: 'tiny' });
    client.tokens(3);
    const seen = await stream.heard(
      1,
      isSnapshot(({ requests }) => requests[0]?.phase === 'decode' && requests[0].tokens === 3),
    );
    const snapshot = seen.at(-1)?.data as unknown as SnapshotEvent;
    expect(snapshot.requests).toMatchObject([
      { user: 'ada', model: 'tiny', upstream: 'u0', workload: 'default', is_estimated: true },
    ]);
    expect(snapshot).toMatchObject({ status: 'flowing', in_flight: { decode: 1 }, estimated: { running: 1 } });
    expect(snapshot.status_text).toMatch(/^1 generation in flight, /);
    client.breakOff();
    const after = await stream.heard(
      1,
      isSnapshot(({ failures }) => failures.length === 1),
    );
    const last = after.at(-1)?.data as unknown as SnapshotEvent;
    expect(last.failures).toMatchObject([{ outcome: 'upstream_reset', user: 'ada', model: 'tiny', upstream: 'u0' }]);
    expect(last.failure_counts).toEqual([{ outcome: 'upstream_reset', last_15_minutes: 1, total: 1 }]);
    expect(last.requests).toEqual([]);
    stream.leave();
  });

  it('has a history for who comes later, which agrees with what was told before', async () => {
    await using upstream = await chatUpstream();
    await using gateway = await runningApp({ upstreams: upstream.url, config: { shutdown_grace: '0s' } });
    const first = await EventStream.open(gateway.adminUrl);
    const client = await upstream.ask(gateway.port, { user: 'ada', model: 'tiny' });
    client.tokens(50);
    await first.heard(
      1,
      isSnapshot(({ points }) => points.series.throughput.some((value) => (value ?? 0) > 0)),
    );
    const late = await EventStream.open(gateway.adminUrl);
    const [history] = await late.heard(2);
    const snapshots = first.events.filter(({ event }) => event === 'snapshot');
    const told = snapshots.flatMap(({ data }) => (data as unknown as SnapshotEvent).points.series.decode);
    expect(told.some((value) => (value ?? 0) > 0)).toBe(true);
    expect(history).toMatchObject({ event: 'history', data: { is_whole: true } });
    const both = [history, ...late.events.slice(1)].flatMap((one) => (one === undefined ? [] : [one]));
    const throughput = both.flatMap(({ event, data }) => {
      const points = event === 'history' ? data : data?.points;
      return (points?.series as { throughput: number[] } | undefined)?.throughput ?? [];
    });
    expect(throughput.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(0);
    client.breakOff();
    first.leave();
    late.leave();
  });

  it('is ended by a shutdown, which it does not hold up', async () => {
    const gateway = await runningApp({ upstreams: 'http://127.0.0.1:9' });
    const stream = await EventStream.open(gateway.adminUrl);
    await stream.heard(2);
    await gateway[Symbol.asyncDispose]();
    await stream.over();
    expect(stream.answer.complete).toBe(true);
  });
});

/** Asks for the stream, and reads nothing of it. */
async function deafSocket(address: string): Promise<Socket> {
  const [host, port] = address.split(':');
  const socket = connect(Number(port), host);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  socket.write('GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  return socket;
}

async function nextTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}
