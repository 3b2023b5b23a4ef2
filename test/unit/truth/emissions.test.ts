import { expect, test } from 'vitest';
import { Emissions, type Written } from '../../../scripts/truth/emissions.ts';

const BEGAN_US = 5_000_000;
const answer = (endedUs: number): Written => ({
  id: 'a',
  tokens: 1,
  chunks: 1,
  readUs: BEGAN_US,
  firstUs: null,
  lastUs: null,
  longestGapUs: 0,
  endedUs,
  end: 'whole',
});

test('tokens belong to the span in which they were written, its beginning included', () => {
  const emissions = new Emissions(BEGAN_US);
  emissions.add(4, BEGAN_US + 1_000, 0);
  emissions.add(3, BEGAN_US + 2_000, 0);
  emissions.add(2, BEGAN_US + 2_999, 0);
  expect(emissions.between(BEGAN_US + 1_000, BEGAN_US + 2_000)).toBe(4);
  expect(emissions.between(BEGAN_US + 2_000, BEGAN_US + 3_000)).toBe(5);
  expect(emissions.between(BEGAN_US, BEGAN_US + 10_000)).toBe(9);
});

test('an answer is in flight from its request to its end', () => {
  const emissions = new Emissions(BEGAN_US);
  emissions.opened(BEGAN_US + 100);
  emissions.opened(BEGAN_US + 200);
  emissions.ended(answer(BEGAN_US + 300));
  expect([99, 100, 250, 300].map((us) => emissions.inFlight(BEGAN_US + us))).toEqual([0, 1, 2, 1]);
});

test('lateness is told once, to a tenth of a millisecond', () => {
  const emissions = new Emissions(BEGAN_US);
  for (const lateUs of [30, 10, 250, 5_000]) emissions.add(1, BEGAN_US, lateUs);
  expect(emissions.takeLateness(0.75)).toBe(300);
  expect(emissions.takeLateness(1)).toBe(null);
});
