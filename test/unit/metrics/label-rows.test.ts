import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LabelRows } from '../../../src/metrics/label-rows.ts';

const unicode = fc.string({ unit: 'binary' });

describe('the label rows of a family', () => {
  it('give one row to one label set, and never one to two, whatever characters the values hold', () => {
    const pair = fc.tuple(unicode, unicode);
    const tricky = fc.constantFrom<[string, string]>(['1:a', ''], ['', '1:a'], ['a"', 'b\n'], ['0:', '0:']);
    fc.assert(
      fc.property(fc.array(fc.oneof(pair, tricky)), (sets) => {
        const rows = new LabelRows(['a', 'b'] as const);
        const indices = sets.map((set) => rows.indexOf(set));
        const distinct = new Set(sets.map((set) => JSON.stringify(set)));
        expect(new Set(indices).size).toBe(distinct.size);
        expect(rows.rows).toHaveLength(distinct.size);
        for (const [place, [a, b]] of sets.entries()) expect(rows.rows[indices[place] ?? -1]).toEqual({ a, b });
      }),
    );
  });

  it('make one row of values that would be the same bytes on the wire: half a surrogate pair has no UTF-8', () => {
    const rows = new LabelRows(['a'] as const);
    expect(rows.indexOf(['cut \ud83c'])).toBe(rows.indexOf(['cut \udf0d']));
    expect(rows.indexOf(['whole 🌍'])).toBe(1);
    expect(rows.rows).toEqual([{ a: 'cut \uFFFD' }, { a: 'whole 🌍' }]);
  });

  it('take labels beyond their names, which never replace a named one', () => {
    const rows = new LabelRows(['upstream'] as const);
    rows.indexOf(['u'], { gpu: 'H100', upstream: 'forged' });
    expect(rows.indexOf(['u'], { gpu: 'H200' })).toBe(1);
    expect(rows.rows).toEqual([
      { gpu: 'H100', upstream: 'u' },
      { gpu: 'H200', upstream: 'u' },
    ]);
  });
});
