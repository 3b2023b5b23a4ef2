import { describe, expect, it } from 'vitest';
import { IdleAge } from '../../../src/gateway/idle-age.ts';

describe('an idle connection', () => {
  it('rests before it is used again', () => {
    const age = new IdleAge();
    expect([0, 5, 20, 30, 3_900].map((ms) => age.mayReuse(ms, 0))).toEqual([false, false, false, true, true]);
  });

  it('is not used again near the age at which the upstream was seen to close one', () => {
    const age = new IdleAge();
    age.closedAt(2_000, 0);
    expect([100, 900, 1_100].map((ms) => age.mayReuse(ms, 0))).toEqual([true, true, false]);
  });

  it('is never used again where the upstream closes behind every answer', () => {
    const age = new IdleAge();
    age.closedAt(3, 0);
    expect([0, 30, 1_000].some((ms) => age.mayReuse(ms, 0))).toBe(false);
  });

  it('what was learned is forgotten after ten minutes: it may have been a restart', () => {
    const age = new IdleAge();
    age.closedAt(3, 1_000);
    expect(age.mayReuse(100, 500_000)).toBe(false);
    expect(age.mayReuse(100, 700_000)).toBe(true);
  });
});
