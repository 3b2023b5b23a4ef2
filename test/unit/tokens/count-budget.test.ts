import { expect, it } from 'vitest';
import { CountBudget, sharedMs } from '../../../src/tokens/count-budget.ts';

function budgetOn(limits: { budgetMs: number; untilMs: number }) {
  const now = { cpu: 1_000, shared: 5_000 };
  const budget = new CountBudget(limits, { cpuMs: () => now.cpu, sharedMs: () => now.shared });
  return { now, budget };
}

it('time in which others had the processor does not use up the work', () => {
  const { now, budget } = budgetOn({ budgetMs: 50, untilMs: 6_000 });
  now.shared += 999;
  now.cpu += 49;
  expect(budget.isOver).toBe(false);
  now.cpu += 1;
  expect(budget.isOver).toBe(true);
});

it('however little work was done, it is over when the answer is due', () => {
  const { now, budget } = budgetOn({ budgetMs: 50, untilMs: 5_100 });
  now.shared += 100;
  expect(budget.isOver).toBe(true);
});

it('nothing may be done with a budget of nothing', () => {
  expect(budgetOn({ budgetMs: 0, untilMs: 6_000 }).budget.isOver).toBe(true);
});

it('the shared clock runs in milliseconds', () => {
  const before = { shared: sharedMs(), own: performance.now() };
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  const passed = { shared: sharedMs() - before.shared, own: performance.now() - before.own };
  // Read one after the other: whatever came between is in the second only.
  expect(passed.shared).toBeGreaterThanOrEqual(20);
  expect(passed.shared).toBeLessThanOrEqual(passed.own + 1);
});
