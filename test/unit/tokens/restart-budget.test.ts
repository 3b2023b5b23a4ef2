import { expect, it } from 'vitest';
import { RestartBudget } from '../../../src/tokens/restart-budget.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';

it('a thread is started five times in any minute, and not a sixth', () => {
  const clock = new ManualClock();
  const budget = new RestartBudget(clock);
  const starts = () => Array.from({ length: 7 }, () => budget.take()).filter(Boolean).length;
  expect(starts()).toBe(5);
  clock.advance(59_999);
  expect(starts()).toBe(0);
  clock.advance(1);
  expect(starts()).toBe(5);
});
