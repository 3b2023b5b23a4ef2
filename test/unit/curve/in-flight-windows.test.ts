import { describe, expect, it } from 'vitest';
import { InFlightWindows } from '../../../src/curve/in-flight-windows.ts';
import { heapBytes } from '../../helpers/heap.ts';

const SETTLE_MS = 3_000;

describe('the windows in which what is in flight began', () => {
  it('holds a request until its record must have come, and not half a second longer', () => {
    const windows = new InFlightWindows(SETTLE_MS);
    windows.began(3);
    windows.began(3);
    windows.began(5);
    expect([windows.oldest, windows.begunBy(2), windows.begunBy(3), windows.begunBy(5)]).toEqual([3, 0, 2, 3]);
    windows.left(3, 30_100);
    windows.left(3, 30_400);
    windows.settle(33_099);
    expect(windows.begunBy(3)).toBe(2);
    windows.settle(33_399);
    expect(windows.begunBy(3)).toBeGreaterThan(0);
    windows.settle(33_900);
    expect([windows.oldest, windows.begunBy(4), windows.begunBy(5)]).toEqual([5, 0, 1]);
    windows.left(5, 34_000);
    windows.settle(37_500);
    expect(windows.oldest).toBe(Number.POSITIVE_INFINITY);
  });

  it('takes ends in any order', () => {
    const windows = new InFlightWindows(SETTLE_MS);
    for (const window of [1, 2, 3]) windows.began(window);
    windows.left(2, 20_000);
    windows.left(1, 19_000);
    windows.left(3, 19_900);
    windows.settle(23_500);
    expect(windows.oldest).toBe(Number.POSITIVE_INFINITY);
  });

  it('does not grow with the requests that have just left: each settling would go through them all', () => {
    const windows = new InFlightWindows(SETTLE_MS);
    const comeAndGo = (requests: number) => {
      for (let request = 0; request < requests; request += 1) {
        windows.began(1 + (request % 5));
        windows.left(1 + (request % 5), 30_000 + request / 1_000);
        windows.settle(30_000 + request / 1_000);
      }
    };
    comeAndGo(20_000);
    const before = heapBytes();
    comeAndGo(200_000);
    expect(heapBytes() - before).toBeLessThan(1_000_000);
    expect(windows.begunBy(5)).toBe(220_000);
  });
});
