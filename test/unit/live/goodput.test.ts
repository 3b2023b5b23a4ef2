import { describe, expect, it } from 'vitest';
import { Goodput } from '../../../src/live/goodput.ts';

const START_MS = 1_000_000;

function newGoodput() {
  const goodput = new Goodput();
  return {
    goodput,
    /** A good one with its tokens, or (null) a bad one. */
    judged: (atMs: number, goodTokens: number | null, workload = 'chat') =>
      goodput.judged({
        workload,
        isGood: goodTokens !== null,
        outputTokens: goodTokens ?? 0,
        atMs: START_MS + atMs,
      }),
    read: (atMs: number, workload = 'chat') => goodput.readings([workload], START_MS + atMs)[0],
  };
}

describe('goodput', () => {
  it('is what was good in the last minute, in requests and in tokens', () => {
    const { judged, read } = newGoodput();
    judged(0, 600);
    judged(500, 0);
    judged(30_000, null);
    expect(read(59_000)).toEqual({
      workload: 'chat',
      requests_per_second: 2 / 60,
      tokens_per_second: 10,
      judged_requests_per_second: 3 / 60,
      good_ratio: 2 / 3,
    });
  });

  it('leaves out the second that is not over, and forgets after a minute', () => {
    const { judged, read } = newGoodput();
    judged(0, 60);
    expect(read(999)?.tokens_per_second).toBe(0);
    expect(read(1_000)?.tokens_per_second).toBe(1);
    expect(read(60_999)?.tokens_per_second).toBe(1);
    expect(read(61_000)?.tokens_per_second).toBe(0);
    expect(read(61_000)?.good_ratio).toBeNull();
  });

  it('counts what is told late for the second in which it was, and what is too late not at all', () => {
    const { judged, read } = newGoodput();
    judged(50_000, 60);
    judged(20_000, 60);
    judged(-20_000, 60);
    expect(read(51_000)?.tokens_per_second).toBe(2);
    expect(read(81_000)?.tokens_per_second).toBe(1);
  });

  it('is kept apart by workload, and is 0 where nothing was judged', () => {
    const { judged, read } = newGoodput();
    judged(0, 60, 'batch');
    expect(read(1_000)).toMatchObject({ requests_per_second: 0, good_ratio: null });
    judged(0, 60, 'batch');
    expect(read(1_000, 'batch')?.tokens_per_second).toBe(1);
  });

  it('forgets a workload that is not configured any more', () => {
    const { goodput, judged, read } = newGoodput();
    judged(0, 60, 'batch');
    expect(goodput.readings([], START_MS + 1_000)).toEqual([]);
    expect(read(1_000, 'batch')?.tokens_per_second).toBe(0);
  });
});
