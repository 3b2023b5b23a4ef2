import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binOf, isBin } from '../../../src/curve/concurrency-bins.ts';

describe('bins of concurrency', () => {
  it('are 1, 2, 3, 4, 6, 8, 12, 16, …', () => {
    const whole = Array.from({ length: 100 }, (_, index) => binOf(index + 1));
    expect([...new Set(whole)]).toEqual([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96]);
  });

  it.each([
    [3.98, 4],
    [4.9, 6],
    [0.8, 1],
    [0.7, null],
    [0, null],
    [Number.NaN, null],
  ])('%s is in the bin of %s', (concurrency, middle) => {
    expect(binOf(concurrency)).toBe(middle);
  });

  it('no concurrency is further from the middle of its bin than by a factor of 1.42', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.75, max: 50_000, noNaN: true }), (concurrency) => {
        const middle = binOf(concurrency) ?? 0;
        expect(isBin(middle)).toBe(true);
        expect(Math.abs(Math.log(concurrency / middle))).toBeLessThan(Math.log(1.42));
      }),
    );
  });
});
