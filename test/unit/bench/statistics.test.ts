import { describe, expect, test } from 'vitest';
import { differences, median, medianOf, percentile, ratios } from '../../../scripts/bench/statistics.ts';

describe('bench statistics', () => {
  test('the median is the middle value, or the mean of the two middle ones', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 2, 10])).toBe(3);
    expect(median([7])).toBe(7);
    expect(median([])).toBeNull();
  });

  test('a percentile is the smallest value that the share does not exceed', () => {
    const hundred = Float32Array.from({ length: 100 }, (_, index) => index + 1);
    expect(percentile(hundred, 0.5)).toBe(50);
    expect(percentile(hundred, 0.99)).toBe(99);
    expect(percentile(hundred, 1)).toBe(100);
    expect(percentile([3], 0.01)).toBe(3);
    expect(percentile([], 0.5)).toBeNull();
  });

  test('a ratio is taken within the round, so that a slow round changes nothing', () => {
    expect(ratios([20, 200, 22], [10, 100, 11])).toEqual([2, 2, 2]);
  });

  test('a difference is taken within the round', () => {
    expect(differences([3, 103, 5], [1, 101, 2])).toEqual([2, 2, 3]);
  });

  test('a round in which one of both is missing does not count', () => {
    expect(ratios([20, null, 30], [10, 10, null])).toEqual([2]);
    expect(ratios([1], [0])).toEqual([]);
    expect(ratios([], [1, 2])).toEqual([]);
    expect(differences([null, 5], [1, 2])).toEqual([3]);
    expect(medianOf([null, 4, null])).toBe(4);
  });
});
