import { describe, expect, it } from 'vitest';
import { dollars, NO_FIGURE, percent, rate, short, whole } from '../../../src/page/text/format.ts';
import { age, duration, moment, timeOfDay } from '../../../src/page/text/time.ts';

const cases = <Value>(write: (value: Value) => string, pairs: readonly (readonly [Value, string])[]) => {
  for (const [value, text] of pairs) expect(write(value), String(value)).toBe(text);
};

describe('figures', () => {
  it('what is unknown or no number is a dash, never zero and never NaN', () => {
    for (const write of [whole, rate, short, percent, dollars, duration, age]) {
      for (const value of [null, Number.NaN, Number.POSITIVE_INFINITY]) expect(write(value)).toBe(NO_FIGURE);
    }
  });

  it('a rate has one decimal below 100 and none above, on either side of the step', () => {
    cases(rate, [
      [0, '0.0'],
      [8.44, '8.4'],
      [99.94, '99.9'],
      [99.96, '100'],
      [1_234.5, '1,235'],
    ]);
  });

  it('a total is told in few characters, and never as a thousand of a unit', () => {
    cases(short, [
      [950, '950'],
      [9_999, '9,999'],
      [12_345, '12.3 k'],
      [999_499, '999 k'],
      [999_500, '1.00 M'],
      [999_499_999, '999 M'],
      [999_500_000, '1.00 G'],
      [45_678_901, '45.7 M'],
      [7.8e9, '7.80 G'],
    ]);
  });

  it('what is little is not nothing', () => {
    expect(rate(0.004)).toBe('<0.1');
    expect(percent(0.0004)).toBe('<0.1%');
    expect(dollars(1e-9)).toBe('<$0.0001');
  });

  it('a share just below the whole is not the whole', () => {
    cases(percent, [
      [1, '100%'],
      [0.99999, '>99.9%'],
      [0.984, '98.4%'],
      [0, '0.0%'],
    ]);
  });

  it('dollars have as many decimals as their size wants', () => {
    cases(dollars, [
      [0.0042, '$0.0042'],
      [0, '$0.00'],
      [0.0999, '$0.10'],
      [0.61, '$0.61'],
      [12, '$12.00'],
      [1_234.5, '$1,235'],
    ]);
  });
});

describe('times', () => {
  it('a latency goes from milliseconds to hours without a gap between the units', () => {
    cases(duration, [
      [0, '0 ms'],
      [0.02, '<0.1 ms'],
      [0.4, '0.4 ms'],
      [0.96, '1 ms'],
      [48.4, '48 ms'],
      [999.4, '999 ms'],
      [999.6, '1.00 s'],
      [9_994, '9.99 s'],
      [9_996, '10.0 s'],
      [59_940, '59.9 s'],
      [59_960, '1 min 00 s'],
      [125_000, '2 min 05 s'],
      [3_599_600, '1 h 00 min'],
    ]);
  });

  it('an age has whole seconds and is never below zero', () => {
    cases(age, [
      [-20, '0 s'],
      [2_400, '2 s'],
      [59_600, '1 min 00 s'],
    ]);
  });

  it('a time of day that is none is a dash', () => {
    expect(timeOfDay('never')).toBe(NO_FIGURE);
    expect(moment('never', 0)).toBe(NO_FIGURE);
    expect(timeOfDay('2026-01-02T03:04:05Z')).toMatch(/^\d\d:04:05$/);
  });

  it('a moment of another day has its date: what failed yesterday did not fail today', () => {
    const nowMs = new Date(2026, 0, 2, 3, 4, 5).getTime();
    expect(moment(nowMs - 3_600_000, nowMs)).toBe('02:04:05');
    expect(moment(nowMs - 86_400_000, nowMs)).toBe('Jan 1, 03:04:05');
  });
});
