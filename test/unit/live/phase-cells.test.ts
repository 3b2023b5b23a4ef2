import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PhaseCells } from '../../../src/live/phase-cells.ts';

describe('the integral of concurrency', () => {
  it('is by phase, over whole seconds before now', () => {
    const cells = new PhaseCells();
    cells.move(null, 'prefill', 1_000);
    cells.move('prefill', 'decode', 3_500);
    cells.move(null, 'unstreamed', 5_000);
    cells.move('decode', null, 8_000);
    expect(cells.mean(10, 11_000)).toEqual({ prefill: 0.25, decode: 0.45, unstreamed: 0.6 });
    expect(cells.mean(1, 11_400)).toEqual({ prefill: 0, decode: 0, unstreamed: 1 });
  });

  it('goes on through hours in which nothing happens', () => {
    const cells = new PhaseCells();
    cells.move(null, 'decode', 1_000);
    expect(cells.mean(60, 10_000_000).decode).toBe(1);
    cells.move('decode', null, 10_000_500);
    expect(cells.mean(1, 10_001_000).decode).toBe(0.5);
    expect(cells.mean(60, 20_000_000).decode).toBe(0);
  });

  it('is the same in whatever order it is told', () => {
    const stay = fc.record({ from: fc.integer({ min: 0, max: 50_000 }), length: fc.integer({ min: 0, max: 9_000 }) });
    fc.assert(
      fc.property(fc.array(stay, { maxLength: 20 }), (stays) => {
        const moves = stays.flatMap(({ from, length }) => [
          { from: null, to: 'decode' as const, atMs: from },
          { from: 'decode' as const, to: null, atMs: from + length },
        ]);
        const inTime = new PhaseCells();
        const reversed = new PhaseCells();
        for (const { from, to, atMs } of moves.toSorted((a, b) => a.atMs - b.atMs)) inTime.move(from, to, atMs);
        for (const { from, to, atMs } of moves.toReversed()) reversed.move(from, to, atMs);
        const truth = stays.reduce((sum, { length }) => sum + length, 0) / 60_000;
        expect(inTime.mean(60, 60_000).decode).toBeCloseTo(truth, 4);
        expect(reversed.mean(60, 60_000).decode).toBeCloseTo(truth, 4);
      }),
    );
  });
});
