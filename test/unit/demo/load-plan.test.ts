import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CYCLE_MS,
  concurrencyAt,
  LENGTHS,
  PEAK_CONCURRENCY,
  type PlannedRequest,
  planRequest,
} from '../../../src/demo/load-plan.ts';
import { seededRandom } from '../../../src/demo/random.ts';

function draw(count: number, seed: number): PlannedRequest[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => planRequest(random));
}

describe('the walk', () => {
  it('never asks for less than one request or more than the peak, however late it is', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e10, noNaN: true }), (elapsedMs) => {
        const concurrency = concurrencyAt(elapsedMs);
        expect(concurrency).toBeGreaterThanOrEqual(1);
        expect(concurrency).toBeLessThanOrEqual(PEAK_CONCURRENCY);
      }),
    );
  });

  it('goes from 1 to the peak and back in one cycle, and begins anew', () => {
    const seconds = Array.from({ length: CYCLE_MS / 1_000 }, (_, second) => concurrencyAt(second * 1_000));
    const stages = seconds.filter((value, second) => value !== seconds[second - 1]);
    expect(stages).toEqual([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 24, 16, 12, 8, 6, 4, 3, 2]);
    expect(concurrencyAt(CYCLE_MS)).toBe(1);
  });
});

describe('the planned requests', () => {
  it('keep to the lengths that the screen states', () => {
    for (const { kind, tokens } of draw(5_000, 1)) {
      const { input, output } = LENGTHS[kind];
      expect(tokens.inputTokens).toBeGreaterThanOrEqual(input.least);
      expect(tokens.inputTokens).toBeLessThanOrEqual(input.most);
      expect(tokens.outputTokens).toBeGreaterThanOrEqual(output.least);
      expect(tokens.outputTokens).toBeLessThanOrEqual(output.most);
    }
  });

  it('are a mix: mostly chats, some batch work, several users, some who leave', () => {
    const requests = draw(5_000, 2);
    const share = (claim: (request: PlannedRequest) => boolean) => requests.filter(claim).length / requests.length;
    expect(share(({ kind }) => kind === 'batch')).toBeCloseTo(0.15, 1);
    expect(share(({ asksUsage }) => asksUsage)).toBeCloseTo(0.5, 1);
    expect(share(({ leavesAfterEvents }) => leavesAfterEvents !== null)).toBeLessThan(0.05);
    expect(new Set(requests.map(({ user }) => user)).size).toBe(4);
  });

  it('are the same for the same seed', () => {
    expect(draw(50, 3)).toEqual(draw(50, 3));
    expect(draw(50, 3)).not.toEqual(draw(50, 4));
  });
});
