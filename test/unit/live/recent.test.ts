import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LogBins } from '../../../src/live/log-bins.ts';
import { RecentQuantiles } from '../../../src/live/recent.ts';

describe('logarithmic bins', () => {
  it('give any quantile within a percent of the true one', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0.1, max: 100_000, noNaN: true }), { minLength: 1 }), (values) => {
        const bins = new LogBins(0.1);
        for (const value of values) bins.add(value);
        const sorted = [...values].sort((a, b) => a - b);
        for (const q of [0.01, 0.5, 0.95]) {
          const truth = sorted[Math.max(1, Math.ceil(q * sorted.length)) - 1] ?? 0;
          expect(Math.abs((bins.quantile(q) ?? 0) / truth - 1)).toBeLessThan(0.01);
        }
      }),
    );
  });

  it('add up: merged bins answer as if everything had been counted in one', () => {
    const [one, two, both] = [new LogBins(1), new LogBins(1), new LogBins(1)];
    for (const value of [1, 5, 9]) {
      one.add(value);
      both.add(value);
    }
    for (const value of [40, 80]) {
      two.add(value);
      both.add(value);
    }
    one.merge(two);
    expect(one.quantile(0.9)).toBe(both.quantile(0.9));
  });

  it('fade: half of the weight leaves the quantiles where they are', () => {
    const bins = new LogBins(1);
    for (let value = 1; value <= 100; value += 1) bins.add(value);
    const before = bins.quantile(0.95);
    bins.scale(0.5);
    expect(bins.total).toBe(50);
    expect(bins.quantile(0.95)).toBe(before);
  });

  it('come back from their plain data with the same quantiles', () => {
    const value = fc.double({ min: 0.1, max: 1_000, noNaN: true });
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), (values) => {
        const bins = new LogBins(0.1);
        for (const one of values) bins.add(one);
        const again = LogBins.of(0.1, JSON.parse(JSON.stringify(bins.state)));
        expect(again.total).toBe(bins.total);
        expect(again.quantile(0.5)).toBe(bins.quantile(0.5));
      }),
    );
  });

  it.each([
    { first: -1, weights: [1] },
    { first: 0, weights: [-1] },
    { first: 0, weights: [Number.NaN] },
    { first: 5_000, weights: [1] },
    { first: 0.5, weights: [1] },
  ])('cannot have come from %j', (state) => {
    expect(() => LogBins.of(1, state)).toThrow(RangeError);
  });

  it('take no number that is not finite', () => {
    const bins = new LogBins(1);
    bins.add(Number.NaN);
    bins.add(Number.POSITIVE_INFINITY);
    expect(bins.quantile(0.5)).toBeNull();
  });
});

describe('quantiles of the last minute', () => {
  it('let go of what is older than a minute', () => {
    const recent = new RecentQuantiles(0.1);
    recent.add(10, 5_000);
    recent.add(1_000, 40_000);
    expect(recent.quantiles([0.01], 50_000)?.[0]).toBeCloseTo(10, -1);
    expect(recent.quantiles([0.01], 64_000)?.[0]).toBeGreaterThan(900);
    expect(recent.quantiles([0.5], 200_000)).toBeNull();
  });
});
