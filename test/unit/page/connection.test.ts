import { describe, expect, it } from 'vitest';
import { afterFailure, type Connection, connectionSentence, delayMs } from '../../../src/page/feed/connection.ts';
import { AdminToken, tokenFault } from '../../../src/page/feed/token.ts';

const MOMENT = { nowMs: 1_000, hadToken: false };
const LIVE: Connection = { kind: 'live' };

describe('the connection', () => {
  it('waits longer after each failure in a row, and never longer than eight seconds', () => {
    const delays = [1, 2, 3, 4, 5, 6, 50].map(delayMs);
    expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  });

  it('begins to count anew once it was live', () => {
    const first = afterFailure(LIVE, { kind: 'ended' }, MOMENT);
    expect(first).toMatchObject({ kind: 'lost', attempt: 1, retryAtMs: 1_500 });
    const second = afterFailure(first, { kind: 'unreachable' }, MOMENT);
    expect(second).toMatchObject({ kind: 'lost', attempt: 2, retryAtMs: 2_000 });
  });

  it('gives a gateway that asks for time that time, in reason', () => {
    const busy = { kind: 'refused', sentence: 'too many watch already.', retryAfterMs: 10_000 } as const;
    expect(afterFailure(LIVE, busy, MOMENT)).toMatchObject({ retryAtMs: 11_000 });
    expect(afterFailure(LIVE, { ...busy, retryAfterMs: 9e9 }, MOMENT)).toMatchObject({ retryAtMs: 33_000 });
  });

  it('asks for a token where one is wanted, and says so where the one it had is not taken', () => {
    const failure = { kind: 'unauthorised' } as const;
    expect(afterFailure(LIVE, failure, MOMENT)).toEqual({ kind: 'sign_in', wasRefused: false });
    expect(afterFailure(LIVE, failure, { ...MOMENT, hadToken: true })).toEqual({ kind: 'sign_in', wasRefused: true });
  });

  it('says in words that it tries again, when, and why', () => {
    const lost = { kind: 'lost', attempt: 3, retryAtMs: 5_000, sentence: null } as const;
    expect(connectionSentence(lost, 1_200)).toBe('Connection lost, trying again in 4 s');
    expect(connectionSentence(lost, 4_500)).toBe('Connection lost, trying again');
    const refused = { ...lost, sentence: 'too many watch already.' };
    expect(connectionSentence(refused, 4_500)).toBe('Too many watch already, trying again');
  });
});

describe('the admin token', () => {
  const forbidden = () => {
    throw new Error('storage is forbidden');
  };

  it('goes into a header, and is kept by the tab', () => {
    const kept = new Map<string, string>();
    const store = () => ({
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    });
    const token = new AdminToken(store);
    expect(token.headers()).toEqual({});
    token.set('s3cret');
    expect(new AdminToken(store).headers()).toEqual({ authorization: 'Bearer s3cret' });
    token.forget();
    expect(kept.size).toBe(0);
    expect(new AdminToken(store).isKnown).toBe(false);
  });

  it('lives in memory where storage is forbidden', () => {
    const token = new AdminToken(forbidden);
    token.set('s3cret');
    expect(token.headers()).toEqual({ authorization: 'Bearer s3cret' });
  });

  it('that no header can hold is refused before it is sent', () => {
    expect(tokenFault('s3cret')).toBeNull();
    for (const token of ['', 'two words', 'größe', 'a\nb']) expect(tokenFault(token)).not.toBeNull();
  });
});
