import { expect, it } from 'vitest';
import { LocalCounts } from '../../../src/live/local-counts.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';

function counting() {
  const clock = new ManualClock();
  const warned: number[] = [];
  const counts = new LocalCounts({ clock, warn: ({ fell_back }) => warned.push(fell_back) });
  return { clock, warned, counts };
}

it('every count is in the tally', () => {
  const { counts } = counting();
  for (const result of ['counted', 'fell_back', 'counted', 'extrapolated'] as const) counts.add(result);
  expect(counts.tally).toEqual({ counted: 2, extrapolated: 1, fell_back: 1 });
});

it('what was counted, if only in part, warns nobody', () => {
  const { counts, warned } = counting();
  counts.add('counted');
  counts.add('extrapolated');
  expect(warned).toEqual([]);
});

it('what fell back is said at once, and then once a minute at most, with all there were', () => {
  const { clock, counts, warned } = counting();
  for (let second = 0; second < 150; second += 1) {
    counts.add('fell_back');
    clock.advance(1_000);
  }
  expect(warned).toEqual([1, 61, 121]);
});
