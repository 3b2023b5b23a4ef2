import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LogBins } from '../../../src/live/log-bins.ts';
import { RecentQuantiles } from '../../../src/live/recent.ts';

describe('logarithmic bins', () => {
  it('give any quantile within four percent of the true one', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0.1, max: 100_000, noNaN: true }), { minLength: 1 }), (values) => {
        const bins = new LogBins(0.1);
        for (const value of values) bins.add(value);
        const sorted = [...values].sort((a, b) => a - b);
        for (const q of [0.01, 0.5, 0.95]) {
          const truth = sorted[Math.max(1, Math.ceil(q * sorted.length)) - 1] ?? 0;
          expect(Math.abs((bins.quantile(q) ?? 0) / truth - 1)).toBeLessThan(0.04);
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
