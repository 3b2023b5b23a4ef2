import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Quantiles } from '../../../src/usage-report/quantiles.ts';

const values = fc.array(fc.double({ min: 0.001, max: 1e7, noNaN: true }), { minLength: 1, maxLength: 200 });
const share = fc.double({ min: 0, max: 1, noNaN: true });

function of(numbers: readonly number[]): Quantiles {
  const quantiles = new Quantiles();
  for (const number of numbers) quantiles.add(number);
  return quantiles;
}

describe('quantiles in logarithmic bins', () => {
  it('are within half a percent of a value under which the share lies', () => {
    fc.assert(
      fc.property(values, share, (numbers, q) => {
        const exact = numbers.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(q * numbers.length)) - 1] ?? Number.NaN;
        const found = of(numbers).at(q) ?? Number.NaN;
        expect(Math.abs(found / exact - 1)).toBeLessThan(0.00501);
      }),
    );
  });

  it('of two groups together are those of all their values', () => {
    fc.assert(
      fc.property(values, values, share, (one, two, q) => {
        const merged = of(one);
        merged.merge(of(two));
        expect(merged.total).toBe(one.length + two.length);
        expect(merged.at(q)).toBe(of([...one, ...two]).at(q));
      }),
    );
  });

  it('tell a single value as it is, and nothing of nothing', () => {
    expect(of([50]).at(0.5)).toBe(50);
    expect(of([]).at(0.5)).toBeNull();
    const empty = of([]);
    empty.merge(of([]));
    expect(empty.at(0.95)).toBeNull();
  });

  it('keep what is beyond every measure at the ends of the scale', () => {
    const ends = of([0, Number.MAX_VALUE]);
    expect(ends.at(0)).toBeLessThan(2e-4);
    expect(ends.at(1)).toBeGreaterThan(9e10);
  });
});
