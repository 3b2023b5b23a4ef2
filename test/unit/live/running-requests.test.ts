import { describe, expect, it } from 'vitest';
import type { AccountNow } from '../../../src/ledger/account.ts';
import { RunningRequests } from '../../../src/live/running-requests.ts';
import { metered, text, usage } from '../../helpers/metered.ts';
import { openingOf } from '../../helpers/worker-pair.ts';

const PREFILL: AccountNow = { phase: 'prefill', phaseSinceMs: 0, tokens: 0, isCounted: false, model: 'm' };
const DECODE: AccountNow = { phase: 'decode', phaseSinceMs: 0, tokens: 1, isCounted: false, model: 'm' };

/** Requests whose state a test sets, as an account would tell it. */
function newRunning() {
  const running = new RunningRequests();
  return {
    running,
    begin(id: string, now: AccountNow, t0Ms = 0) {
      const watched = { now: { ...now }, user: `user of ${id}` };
      running.began(openingOf({ id, t0Ms }), watched);
      return watched.now;
    },
  };
}

describe('running requests', () => {
  it('tell who asked what, where it is, and how far it has come', () => {
    const { running, begin } = newRunning();
    begin('a', { ...DECODE, phaseSinceMs: 4_000, tokens: 61, isCounted: true, model: 'llama' }, 1_000);
    const { requests, estimated } = running.snapshot(10_000);
    expect(requests).toEqual([
      {
        id: 'a',
        user: 'user of a',
        model: 'llama',
        upstream: 'u',
        workload: 'default',
        phase: 'decode',
        tokens: 61,
        is_estimated: false,
        speed: 10,
        age_ms: 9_000,
        decode_ms: 6_000,
      },
    ]);
    expect(estimated).toBe(0);
  });

  it('say nothing where nothing is known: no tokens of what does not stream, no speed before two tokens', () => {
    const { running, begin } = newRunning();
    begin('prefill', PREFILL);
    begin('unstreamed', { ...PREFILL, phase: 'unstreamed' });
    begin('one token, just now', { ...DECODE, phaseSinceMs: 9_900 });
    begin('nobody counts', { ...DECODE, tokens: 0 });
    const { requests, speed, estimated } = running.snapshot(10_000);
    expect(requests.map(({ id, tokens, speed: own }) => [id, tokens, own])).toEqual([
      ['prefill', 0, null],
      ['unstreamed', null, null],
      ['one token, just now', 1, null],
      ['nobody counts', null, null],
    ]);
    expect([speed, estimated]).toEqual([null, 1]);
    expect(new RunningRequests().snapshot(0)).toEqual({ requests: [], speed: null, estimated: null });
  });

  it('have the speed of the last seconds, and 0 when they stand still', () => {
    const { running, begin } = newRunning();
    const now = begin('a', DECODE);
    const speedAt = (seconds: number, tokens: number) => {
      now.tokens = tokens;
      return running.snapshot(seconds * 1_000).requests[0]?.speed;
    };
    const seen = [1, 2, 3, 4, 5, 6].map((second) => speedAt(second, 1 + 10 * second));
    expect(seen).toEqual([10, 10, 10, 10, 10, 10]);
    // 61 tokens at 6 s, and none after it: within four seconds nothing of the past is left.
    expect([7, 8, 9, 10].map((second) => speedAt(second, 61)).at(-1)).toBe(0);
    // Five times as fast from here.
    for (let second = 11; second <= 15; second += 1) speedAt(second, 61 + 50 * (second - 10));
    expect(speedAt(16, 61 + 300)).toBe(50);
  });

  it('come the slowest first, then those without a speed in the order they came', () => {
    const { running, begin } = newRunning();
    begin('waits longest', PREFILL);
    begin('fast', { ...DECODE, tokens: 101 });
    begin('waits', PREFILL, 500);
    begin('slow', { ...DECODE, tokens: 11 });
    expect(running.snapshot(10_000).requests.map(({ id }) => id)).toEqual(['slow', 'fast', 'waits longest', 'waits']);
  });

  it.each([
    { moving: 500, waiting: 500, shown: [100, 100] },
    { moving: 500, waiting: 30, shown: [170, 30] },
    { moving: 30, waiting: 500, shown: [30, 170] },
    { moving: 30, waiting: 40, shown: [30, 40] },
    { moving: 500, waiting: 0, shown: [200, 0] },
  ])('leave room for either kind: $moving that move and $waiting that wait', ({ moving, waiting, shown }) => {
    const { running, begin } = newRunning();
    for (let index = 0; index < moving; index += 1) begin(`m${index}`, { ...DECODE, tokens: 2 + (index % 50) });
    for (let index = 0; index < waiting; index += 1) begin(`w${index}`, PREFILL);
    const { requests } = running.snapshot(10_000);
    const withSpeed = requests.filter(({ speed }) => speed !== null);
    expect([withSpeed.length, requests.length - withSpeed.length]).toEqual(shown);
    expect(withSpeed.map(({ speed }) => speed)).toEqual(
      withSpeed.map(({ speed }) => speed).sort((a, b) => Number(a) - Number(b)),
    );
  });

  it('have quantiles over all of them, not only over those that are shown', () => {
    const { running, begin } = newRunning();
    for (let index = 1; index <= 1_000; index += 1) begin(`m${index}`, { ...DECODE, tokens: 1 + index });
    expect(running.snapshot(1_000).speed).toEqual({ p10: 100, p50: 500 });
  });

  it('are gone when they end, and what is no generation is none of them', () => {
    const { running, begin } = newRunning();
    begin('a', DECODE);
    const ended = begin('its record is still being counted', DECODE);
    ended.phase = null;
    running.began(openingOf({ id: 'models', generation: false }), { now: PREFILL, user: null });
    expect(running.snapshot(1_000).requests.map(({ id }) => id)).toEqual(['a']);
    running.ended('a');
    expect(running.snapshot(2_000).requests).toEqual([]);
  });

  it('cut the name of a model that a client made long', () => {
    const { running, begin } = newRunning();
    begin('a', { ...DECODE, model: 'x'.repeat(1_000_000) });
    expect(running.snapshot(1_000).requests[0]?.model).toHaveLength(256);
  });

  it('are what their accounts say while an answer comes', () => {
    const running = new RunningRequests();
    const request = metered([text('Hello'), usage(3, 7, { final: false }), text(' you')]);
    running.began(openingOf(), request.account);
    request.meter.user('ada');
    const seen = () => {
      request.backlog.catchUp();
      const [one] = running.snapshot(request.clock.nowMs()).requests;
      return [one?.phase, one?.tokens, one?.is_estimated, one?.user, one?.model];
    };
    request.begin();
    expect(seen()).toEqual(['prefill', 0, false, 'ada', 'm']);
    request.arrive(100);
    expect(seen()).toEqual(['decode', 1, true, 'ada', 'm']);
    request.arrive(100);
    expect(seen()).toEqual(['decode', 7, false, 'ada', 'm']);
    request.arrive(100);
    expect(seen()).toEqual(['decode', 8, true, 'ada', 'm']);
    request.finish();
    expect(running.snapshot(request.clock.nowMs()).requests).toEqual([]);
  });
});
