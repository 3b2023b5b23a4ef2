import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UserSnapshot } from '../../../src/live/snapshot-type.ts';
import { Users, usersJson } from '../../../src/live/users.ts';
import type { UsageRecord } from '../../../src/meter/record.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { finishedRequest } from '../../helpers/recorder.ts';

const HOUR_MS = 3_600_000;

function newUsers(maxRows?: number) {
  const clock = new ManualClock();
  const users = new Users(clock, maxRows);
  return {
    clock,
    users,
    finish(user: string | null, record: Partial<UsageRecord> = {}, slowClient = false) {
      users.finished(
        finishedRequest({ user, time: new Date(clock.epochMs()).toISOString(), ...record }, { slowClient }),
      );
    },
    names: () => [...users.all()].map(({ user }) => user),
    rowOf: (user: string) => [...users.all()].find((row) => row.user === user),
  };
}

const sumsOf = (rows: readonly UserSnapshot[]) => ({
  requests: rows.reduce((sum, row) => sum + row.requests, 0),
  input: rows.reduce((sum, row) => sum + row.input_tokens, 0),
  output: rows.reduce((sum, row) => sum + row.output_tokens, 0),
});

describe('a user', () => {
  it('has the sums of all requests, and how they were served', () => {
    const { finish, rowOf, clock } = newUsers();
    finish('ada', { input_tokens: 10, output_tokens: 20, user_speed_tokens_per_second: 40, ttft_ms: 100 });
    clock.advance(1_000);
    finish('ada', { input_tokens: 1, output_tokens: 2, user_speed_tokens_per_second: 80, ttft_ms: 400 });
    const row = rowOf('ada');
    expect(row).toMatchObject({
      requests: 2,
      input_tokens: 11,
      output_tokens: 22,
      last_seen: '2026-01-02T03:04:06.000Z',
    });
    expect(row?.speed?.p1).toBeCloseTo(40, -0.5);
    expect(row?.speed?.p10).toBeCloseTo(40, -0.5);
    expect(row?.speed?.p50).toBeCloseTo(40, -0.5);
    expect(row?.ttft_p95_ms).toBeGreaterThan(384);
    expect(row?.ttft_p95_ms).toBeLessThan(416);
    expect(row?.characters_per_second?.p50).toBeGreaterThan(174);
  });

  it('without a stream has no speed: unknown is not 0', () => {
    const { finish, rowOf } = newUsers();
    finish('bob', {
      input_tokens: null,
      output_tokens: null,
      user_speed_tokens_per_second: null,
      characters_per_second: null,
      ttft_ms: null,
    });
    expect(rowOf('bob')).toMatchObject({
      requests: 1,
      input_tokens: 0,
      output_tokens: 0,
      speed: null,
      characters_per_second: null,
      ttft_p95_ms: null,
    });
  });

  it('is not slowed down by reading slowly itself', () => {
    const { finish, rowOf } = newUsers();
    finish('ada', {}, true);
    expect(rowOf('ada')).toMatchObject({ requests: 1, output_tokens: 34, speed: null, characters_per_second: null });
    expect(rowOf('ada')?.ttft_p95_ms).not.toBeNull();
  });

  it('without identity is unknown', () => {
    const { finish, names } = newUsers();
    finish(null);
    expect(names()).toEqual(['unknown']);
  });

  it('is told how it was served of late, not how it was long ago', () => {
    const { finish, rowOf, clock } = newUsers();
    finish('ada', { user_speed_tokens_per_second: 10 });
    for (let half = 0; half < 2; half += 1) {
      clock.advance(HOUR_MS / 2);
      finish('ada', { user_speed_tokens_per_second: 100 });
    }
    expect(rowOf('ada')?.requests).toBe(3);
    expect(rowOf('ada')?.speed?.p1).toBeGreaterThan(90);
  });
});

describe('the users', () => {
  it('are those of the last hour, the last seen first, and what the others had is other', () => {
    const { finish, names, rowOf, clock } = newUsers();
    finish('ada');
    clock.advance(HOUR_MS / 2);
    finish('bob');
    finish('ada');
    finish('eve');
    expect(names()).toEqual(['eve', 'ada', 'bob']);
    clock.advance(HOUR_MS - 1);
    finish('eve');
    clock.advance(1);
    expect(names()).toEqual(['eve', 'other']);
    expect(rowOf('other')).toMatchObject({ requests: 3, last_seen: '2026-01-02T03:34:05.000Z' });
  });

  it('are bounded: past the bound who was seen longest ago goes to other, with all it had', () => {
    const { finish, names, rowOf } = newUsers(3);
    for (const user of ['a', 'b', 'c', 'a', 'd', 'e']) finish(user);
    expect(names()).toEqual(['e', 'd', 'a', 'other']);
    expect(rowOf('a')?.requests).toBe(2);
    const other = rowOf('other');
    expect(other).toMatchObject({ requests: 2, input_tokens: 24, output_tokens: 68 });
    expect(other?.speed?.p50).toBeGreaterThan(48);
  });

  it('who come back begin anew, and other keeps what it took', () => {
    const { finish, rowOf, clock } = newUsers();
    finish('ada');
    clock.advance(HOUR_MS);
    finish('ada');
    expect(rowOf('ada')?.requests).toBe(1);
    expect(rowOf('other')?.requests).toBe(1);
  });

  it('whatever comes, add up to all requests since the start', () => {
    const request = fc.record({
      user: fc.constantFrom('a', 'b', 'c', 'd', 'other', 'unknown', null),
      afterMs: fc.constantFrom(0, 1, HOUR_MS / 3, HOUR_MS + 1),
      input: fc.option(fc.nat({ max: 1_000 }), { nil: null }),
      output: fc.option(fc.nat({ max: 1_000 }), { nil: null }),
    });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (requests, maxRows) => {
        const { finish, users, clock } = newUsers(maxRows);
        for (const { user, afterMs, input, output } of requests) {
          clock.advance(afterMs);
          finish(user, { input_tokens: input, output_tokens: output });
        }
        const rows = [...users.all()];
        expect(rows.length).toBeLessThanOrEqual(maxRows + 1);
        expect(new Set(rows.map(({ user }) => user)).size).toBe(rows.length);
        expect(sumsOf(rows)).toEqual({
          requests: requests.length,
          input: requests.reduce((sum, { input }) => sum + (input ?? 0), 0),
          output: requests.reduce((sum, { output }) => sum + (output ?? 0), 0),
        });
      }),
    );
  });

  it('with the most output come first where room is short', () => {
    const { finish, users } = newUsers();
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 500 }), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 10 }),
        (outputs, count) => {
          const own = newUsers();
          for (const [index, output] of outputs.entries()) own.finish(`u${index}`, { output_tokens: output });
          const expected = [...outputs].sort((a, b) => b - a).slice(0, count);
          expect(own.users.top(count).map(({ output_tokens }) => output_tokens)).toEqual(expected);
        },
      ),
    );
    finish('ada');
    expect(users.top(20)).toHaveLength(1);
  });

  it('are written in pieces that are together what all are', async () => {
    const { finish, users } = newUsers();
    for (let user = 0; user < 450; user += 1) finish(`user-"${user}"\n`);
    const pieces: string[] = [];
    for await (const piece of usersJson(users)) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(2);
    expect(JSON.parse(pieces.join(''))).toEqual({ users: [...users.all()] });
    const { users: nobody } = newUsers();
    const empty: string[] = [];
    for await (const piece of usersJson(nobody)) empty.push(piece);
    expect(JSON.parse(empty.join(''))).toEqual({ users: [] });
  });
});
