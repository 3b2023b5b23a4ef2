import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FewBins } from '../../../src/live/few-bins.ts';

const LOWEST = 0.1;
const QS = [0.01, 0.1, 0.5, 0.95, 1];

function binsOf(values: readonly number[]): FewBins {
  const bins = new FewBins(LOWEST);
  for (const value of values) bins.add(value);
  return bins;
}

const values = fc.array(fc.double({ min: 0.1, max: 90_000, noNaN: true }), { minLength: 1, maxLength: 200 });

describe('quantiles of few values', () => {
  it('are within 4 % of the true ones', () => {
    fc.assert(
      fc.property(values, (all) => {
        const bins = binsOf(all);
        const sorted = [...all].sort((a, b) => a - b);
        for (const q of QS) {
          const truth = sorted[Math.max(1, Math.ceil(q * sorted.length)) - 1] ?? Number.NaN;
          expect(bins.quantile(q)).toBeGreaterThan(truth * 0.96);
          expect(bins.quantile(q)).toBeLessThan(truth * 1.04);
        }
      }),
    );
  });

  it('do not depend on the order of values, nor on how they were split and merged', () => {
    fc.assert(
      fc.property(values, values, (some, others) => {
        const merged = binsOf(some);
        merged.merge(binsOf(others));
        const reversed = binsOf([...some, ...others].reverse());
        for (const q of QS) expect(merged.quantile(q)).toBe(reversed.quantile(q));
      }),
    );
  });

  it('are none of none, and of what is no number', () => {
    expect(binsOf([]).quantile(0.5)).toBeNull();
    expect(binsOf([Number.NaN, Number.POSITIVE_INFINITY]).quantile(0.5)).toBeNull();
  });

  it('of what is below the lowest or above the highest are the ends of the scale', () => {
    expect(binsOf([0, -5]).quantile(0.5)).toBeCloseTo(0.104, 3);
    expect(binsOf([1e12]).quantile(0.5)).toBeGreaterThan(90_000);
  });
});
