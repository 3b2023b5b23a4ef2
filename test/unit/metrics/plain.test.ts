import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CounterEntry, HistogramEntry } from '../../../src/metrics/catalog/entry.ts';
import { PlainCounter, PlainHistogram } from '../../../src/metrics/plain.ts';

const about = { addsUp: 'sum', unit: 'things', help: 'Things.' } as const;
const LABELS = ['a', 'b'] as const;
const COUNTER: CounterEntry<typeof LABELS> = { name: 'things_total', type: 'counter', labels: LABELS, ...about };
const BOUNDS = [0.5, 1, 2, 5];
const HISTOGRAM: HistogramEntry<typeof LABELS> = {
  name: 'things',
  type: 'histogram',
  labels: LABELS,
  buckets: BOUNDS,
  ...about,
};

function newCounter() {
  const refused = { count: 0 };
  const counter = new PlainCounter(COUNTER, () => {
    refused.count += 1;
  });
  return { counter, refused };
}

function newHistogram() {
  const refused = { count: 0 };
  const histogram = new PlainHistogram(HISTOGRAM, BOUNDS, () => {
    refused.count += 1;
  });
  return { histogram, refused };
}

/** Numbers that would spoil a sum for good. */
const SPOILERS = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, -Number.MIN_VALUE];

describe('a plain counter', () => {
  it('starts a new row at 0 and keeps its number when other rows come', () => {
    const { counter } = newCounter();
    counter.add(counter.row(['x', 'y']), 2.5);
    for (let index = 0; index < 100; index += 1) counter.row(['x', `${index}`]);
    counter.add(counter.row(['x', 'y']), 1);
    const { rows, numbers } = counter.collect();
    expect(rows).toHaveLength(101);
    expect(rows[0]).toEqual({ a: 'x', b: 'y' });
    expect([...numbers]).toEqual([3.5, ...Array(100).fill(0)]);
  });

  it('lets no number in that is not finite or below 0, and tells', () => {
    const { counter, refused } = newCounter();
    const row = counter.row(['x', 'y']);
    counter.add(row, 7);
    for (const spoiler of SPOILERS) counter.add(row, spoiler);
    expect([...counter.collect().numbers]).toEqual([7]);
    expect(refused.count).toBe(SPOILERS.length);
  });

  it('hands out a copy: what is counted later does not change what was collected', () => {
    const { counter } = newCounter();
    const row = counter.row(['x', 'y']);
    const { numbers } = counter.collect();
    counter.add(row, 1);
    expect([...numbers]).toEqual([0]);
  });
});

describe('a plain histogram', () => {
  it('counts a value in the first bucket whose bound is not below it, as prom-client does', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...BOUNDS, 0), fc.double({ min: 0, max: 10, noNaN: true }))),
        (values) => {
          const { histogram } = newHistogram();
          const row = histogram.row(['x', 'y']);
          for (const value of values) histogram.observe(row, value);
          const expected = [...BOUNDS, Number.POSITIVE_INFINITY].map(
            (bound, index) =>
              values.filter((value) => value <= bound && value > (BOUNDS[index - 1] ?? Number.NEGATIVE_INFINITY))
                .length,
          );
          const sum = values.reduce((total, value) => total + value, 0);
          expect([...histogram.collect().numbers]).toEqual([...expected, sum]);
        },
      ),
    );
  });

  it('keeps rows apart and grows with them', () => {
    const { histogram } = newHistogram();
    for (let index = 0; index < 50; index += 1) histogram.observe(histogram.row([`${index}`, '']), index);
    const { rows, numbers } = histogram.collect();
    const stride = numbers.length / rows.length;
    for (let index = 0; index < 50; index += 1) {
      const own = [...numbers.subarray(index * stride, (index + 1) * stride)];
      expect(own.slice(0, -1).reduce((count, bin) => count + bin, 0)).toBe(1);
      expect(own.at(-1)).toBe(index);
    }
  });

  it('lets no number in that is not finite or below 0, neither as a value nor as a sum of bins', () => {
    const { histogram, refused } = newHistogram();
    const row = histogram.row(['x', 'y']);
    for (const spoiler of SPOILERS) {
      histogram.observe(row, spoiler);
      histogram.addBins(row, [1, 1, 1, 1, 1], spoiler);
    }
    expect([...histogram.collect().numbers]).toEqual([0, 0, 0, 0, 0, 0]);
    expect(refused.count).toBe(2 * SPOILERS.length);
  });

  it('adds bins that were counted elsewhere by the same bounds, and refuses others', () => {
    const { histogram, refused } = newHistogram();
    const row = histogram.row(['x', 'y']);
    histogram.observe(row, 1);
    histogram.addBins(row, Uint32Array.of(1, 2, 3, 4, 5), 40);
    histogram.addBins(row, Uint32Array.of(1, 2, 3), 40);
    expect([...histogram.collect().numbers]).toEqual([1, 3, 3, 4, 5, 41]);
    expect(refused.count).toBe(1);
  });
});
