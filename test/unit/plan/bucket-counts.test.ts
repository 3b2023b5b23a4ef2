import { describe, expect, it } from 'vitest';
import { LogBins } from '../../../src/live/log-bins.ts';
import { BucketCounts } from '../../../src/plan/bucket-counts.ts';

function binsOf(buckets: Record<string, number>): LogBins {
  const counts = new BucketCounts();
  for (const [le, count] of Object.entries(buckets)) counts.add(le, count);
  const bins = new LogBins(0.1);
  counts.intoBins(bins, 1000);
  return bins;
}

describe('buckets of a recorded histogram', () => {
  it('become quantiles as Prometheus would interpolate them', () => {
    const bins = binsOf({ '0.1': 50, '0.5': 90, '1.0': 100, '+Inf': 100 });
    expect(bins.total).toBeCloseTo(100);
    expect(bins.quantile(0.5)).toBeCloseTo(100, -1);
    expect((bins.quantile(0.95) ?? 0) / 750).toBeCloseTo(1, 1);
  });

  it('of which 95 % are within a bound have their p95 within it', () => {
    expect(binsOf({ '0.4': 10, '0.5': 95, '1': 100, '+Inf': 100 }).quantile(0.95)).toBeLessThanOrEqual(500);
    expect(binsOf({ '0.4': 10, '0.5': 94, '1': 100, '+Inf': 100 }).quantile(0.95)).toBeGreaterThan(500);
  });

  it('above the last bound are above it', () => {
    expect(binsOf({ '1': 0, '+Inf': 10 }).quantile(0.5)).toBeGreaterThan(1_000);
  });

  it('that are none are left out', () => {
    expect(binsOf({ nonsense: 5, '1': Number.NaN }).total).toBe(0);
  });
});
