import { Agent, request as httpRequest } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { UserSnapshot } from '../../src/live/snapshot-type.ts';
import { Users, usersJson } from '../../src/live/users.ts';
import { behavingUpstream } from '../helpers/behaving-upstream.ts';
import { heapBytes } from '../helpers/heap.ts';
import { finishedRequest } from '../helpers/recorder.ts';
import { runningApp } from '../helpers/running-app.ts';

const PATIENCE_MS = 20_000;
const MAX_USERS = 3;
const USERS = 25;
const ROUNDS = 2;
/** Of a random user's row: its name, its sums and some bins. */
const MOST_BYTES_A_ROW = 3_000;

type Gateway = Awaited<ReturnType<typeof runningApp>>;

const config = { identity: { user: [{ header: 'x-user-id' }], max_users: MAX_USERS } };

function ask({ port }: Gateway, user: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'x-user-id': user };
    const sent = httpRequest(
      { host: '127.0.0.1', port, path: '/v1/chat/completions', method: 'POST', agent, headers },
      (answer) => answer.resume().on('end', resolve),
    );
    sent.on('error', reject);
    sent.end('{"model":"tiny","stream":true,"messages":[]}');
  });
}

const usersOf = async ({ adminUrl }: Gateway): Promise<UserSnapshot[]> =>
  ((await (await fetch(`${adminUrl}/api/users`)).json()) as { users: UserSnapshot[] }).users;

describe('users over HTTP', () => {
  it('are all in /api/users, beyond the cap of labels, and add up to what the metrics say', async () => {
    await using upstream = await behavingUpstream();
    await using gateway = await runningApp({ upstreams: upstream.url, config });
    const agent = new Agent({ keepAlive: true });
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all(Array.from({ length: USERS }, (_, user) => ask(gateway, `user-${user}`, agent)));
    }
    agent.destroy();
    const users = await vi.waitFor(async () => {
      const found = await usersOf(gateway);
      expect(found.reduce((sum, { requests }) => sum + requests, 0)).toBe(USERS * ROUNDS);
      return found;
    }, PATIENCE_MS);
    expect(new Set(users.map(({ user }) => user))).toEqual(
      new Set(Array.from({ length: USERS }, (_, user) => `user-${user}`)),
    );
    for (const row of users) {
      expect(row).toMatchObject({ requests: ROUNDS, input_tokens: 7 * ROUNDS, output_tokens: 3 * ROUNDS });
      expect(Date.parse(row.last_seen)).toBeGreaterThan(Date.now() - 60_000);
      for (const figure of [row.speed?.p1, row.speed?.p50, row.characters_per_second?.p10, row.ttft_p95_ms])
        expect(figure).toBeGreaterThan(0);
    }
    const exposition = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
    const tokens = [...exposition.matchAll(/^pitot_user_output_tokens_total\{user="([^"]*)"\} (\d+)$/gm)];
    expect(tokens).toHaveLength(MAX_USERS + 1);
    expect(tokens.map(([, user]) => user)).toContain('other');
    expect(tokens.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(USERS * ROUNDS * 3);
    expect(gateway.app.snapshot().users).toHaveLength(20);
  });

  it('are told to nobody without the token', async () => {
    await using upstream = await behavingUpstream();
    const admin = { listen: '127.0.0.1:0', token: 'secret-token' };
    await using gateway = await runningApp({ upstreams: upstream.url, config: { ...config, admin } });
    const asked = (headers: Record<string, string>) => fetch(`${gateway.adminUrl}/api/users`, { headers });
    expect((await asked({})).status).toBe(401);
    const answer = await asked({ authorization: 'Bearer secret-token' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(await answer.json()).toEqual({ users: [] });
  });
});

describe('ten thousand random users and more', () => {
  const finishSome = (users: Users, count: number) => {
    for (let request = 0; request < count; request += 1) {
      const user = Math.random().toString(36).slice(2);
      const spread = 10 ** (Math.random() * 3);
      users.finished(finishedRequest({ user, user_speed_tokens_per_second: spread, ttft_ms: spread * 10 }));
    }
  };

  it('take a bounded memory, and their sums are kept', async () => {
    const users = new Users(systemClock);
    const empty = heapBytes();
    finishSome(users, 10_000);
    const full = heapBytes();
    finishSome(users, 40_000);
    const later = heapBytes();
    const rows = [...users.all()];
    expect(rows).toHaveLength(10_001);
    expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(50_000);
    expect(full - empty).toBeLessThan(10_000 * MOST_BYTES_A_ROW);
    expect(later - full).toBeLessThan(2_000_000);
    let bytes = 0;
    let pieces = 0;
    for await (const piece of usersJson(users)) {
      bytes += piece.length;
      pieces += 1;
    }
    expect(bytes / pieces).toBeLessThan(100_000);
    const sizes = [full - empty, later - full, bytes].map((size) => `${(size / 1e6).toFixed(2)} MB`);
    process.stderr.write(`10,000 users: ${sizes[0]}, 40,000 more: ${sizes[1]}; /api/users ${sizes[2]} in ${pieces}\n`);
  });
});
