import { expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';

it('monotonic time has one origin for all processes of the machine', () => {
  const distances = Array.from({ length: 20 }, () => {
    const machineMs = Number(process.hrtime.bigint()) / 1e6;
    return Math.abs(systemClock.nowMs() - machineMs);
  });
  expect(Math.min(...distances)).toBeLessThan(0.1);
});
