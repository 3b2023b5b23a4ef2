import { expect, test } from 'vitest';
import { GOALS, type Goal, goalNames, verdictOf } from '../../../scripts/bench/goals.ts';

const CHEAP: Goal = { what: 'cost', unit: '×', digits: 2, reach: 2, limit: 2.4, best: 'low' };
const MANY: Goal = { what: 'events', unit: 'events/s', digits: 0, reach: 25_000, limit: 18_000, best: 'high' };

test('what should be low is reached up to its goal, within its limit up to that, and failed above', () => {
  expect([1, 2, 2.1, 2.4, 2.5].map((value) => verdictOf(CHEAP, value))).toEqual([
    'reached',
    'reached',
    'within limit',
    'within limit',
    'failed',
  ]);
});

test('what should be high is the other way round', () => {
  expect([30_000, 25_000, 20_000, 18_000, 17_999].map((value) => verdictOf(MANY, value))).toEqual([
    'reached',
    'reached',
    'within limit',
    'within limit',
    'failed',
  ]);
});

test('what was not measured is neither reached nor failed', () => {
  expect(verdictOf(CHEAP, null)).toBe('not measured');
});

test('no limit is stricter than its goal', () => {
  const strict = goalNames().filter((name) => verdictOf(GOALS[name], GOALS[name].limit) === 'failed');
  expect(strict).toEqual([]);
  expect(goalNames().filter((name) => verdictOf(GOALS[name], GOALS[name].reach) !== 'reached')).toEqual([]);
});
