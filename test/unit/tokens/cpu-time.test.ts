import { expect, it } from 'vitest';
import { threadCpuTime } from '../../../src/tokens/cpu-time.ts';

const WAIT_MS = 200;

/** Works until the clock has moved by `ms`; true when it did so in a sensible number of steps. */
function works(clock: () => number, ms: number): boolean {
  const endMs = clock() + ms;
  let digest = 0;
  for (let step = 0; step < 100_000 && clock() < endMs; step += 1) {
    for (let index = 0; index < 10_000; index += 1) digest = (digest * 31 + index) % 65_537;
  }
  return digest >= 0 && clock() >= endMs;
}

it.runIf(process.platform === 'linux')('time in which a thread waits is none of its CPU time', () => {
  const clock = threadCpuTime();
  const before = clock();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
  expect(clock() - before).toBeLessThan(WAIT_MS / 2);
});

it('work moves the clock, and nothing turns it back', () => {
  const clock = threadCpuTime();
  const before = clock();
  expect(works(clock, 20)).toBe(true);
  expect(clock()).toBeGreaterThanOrEqual(before + 20);
});
