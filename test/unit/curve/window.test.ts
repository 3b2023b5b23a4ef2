import { describe, expect, it } from 'vitest';
import { OpenWindow, WINDOW_MS } from '../../../src/curve/window.ts';
import { heapBytes } from '../../helpers/heap.ts';

const START = { atMs: 7 * WINDOW_MS, inFlight: 4 };

function closed(moves: readonly [change: number, intoMs: number][]) {
  const window = new OpenWindow();
  for (const [change, intoMs] of moves) window.moved(change, START.atMs + intoMs);
  return window.close(START);
}

describe('an open window', () => {
  it('knows its mean concurrency to the microsecond, in whatever order it is told', () => {
    const moves: [number, number][] = [
      [1, 1_000.25],
      [-1, 1_002.5],
      [1, 4_999.999],
    ];
    const mean = 4 + (2.25 + 0.001) / WINDOW_MS;
    expect(closed(moves)?.concurrency).toBeCloseTo(mean, 9);
    expect(closed(moves.toReversed())?.concurrency).toBeCloseTo(mean, 9);
  });

  it('says nothing when the concurrency was far from its mean for more than a tenth of the time', () => {
    expect(closed([[-4, 4_600]])).not.toBeNull();
    expect(closed([[-4, 4_400]])).toBeNull();
  });

  it('does not grow with the requests that come and go while it waits for a long one', () => {
    const window = new OpenWindow();
    const comeAndGo = (requests: number) => {
      for (let request = 0; request < requests; request += 1) {
        window.moved(1, START.atMs + (request % WINDOW_MS));
        window.moved(-1, START.atMs + ((request + 3) % WINDOW_MS));
      }
    };
    // What the engine itself keeps of code that has become hot is not the window's.
    comeAndGo(50_000);
    const before = heapBytes();
    comeAndGo(500_000);
    expect(heapBytes() - before).toBeLessThan(100_000);
    expect(window.change).toBe(0);
  });
});
