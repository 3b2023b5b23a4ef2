import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InOrder } from '../../../src/workers/in-order.ts';
import { PATIENCE_MS } from '../../../src/workers/pace.ts';
import type { Told } from '../../../src/workers/protocol.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';

const told = (atMs: number, request = 0): Told => ['requested', atMs, request, null];

function heardInOrder() {
  const clock = new ManualClock();
  const heard: number[] = [];
  const inOrder = new InOrder(clock.nowMs.bind(clock));
  const line = () => inOrder.line((one) => heard.push(one[1]));
  return { clock, heard, inOrder, line, startMs: clock.nowMs() };
}

describe('what several workers tell', () => {
  it('is handed on in the order in which it happened', () => {
    const { clock, heard, inOrder, line, startMs } = heardInOrder();
    const [one, other] = [line(), line()];
    one.take([told(startMs + 1), told(startMs + 4)]);
    clock.advance(PATIENCE_MS / 2);
    other.take([told(startMs + 2), told(startMs + 3)]);
    expect(inOrder.apply()).toBeCloseTo(PATIENCE_MS / 2 + 1);
    expect(heard).toEqual([]);
    clock.advance(PATIENCE_MS / 2 + 4);
    expect(inOrder.apply()).toBeNull();
    expect(heard.map((atMs) => atMs - startMs)).toEqual([1, 2, 3, 4]);
  });

  it('waits for nobody once it is old enough', () => {
    const { clock, heard, inOrder, line, startMs } = heardInOrder();
    const [one, other] = [line(), line()];
    one.take([told(startMs + 10)]);
    clock.advance(PATIENCE_MS + 10);
    inOrder.apply();
    other.take([told(startMs + 5)]);
    inOrder.apply();
    expect(heard.map((atMs) => atMs - startMs)).toEqual([10, 5]);
  });

  it('is handed on at once when its worker has ended', () => {
    const { heard, line, startMs } = heardInOrder();
    const one = line();
    one.take([told(startMs + 1), told(startMs + 2)]);
    one.end();
    expect(heard).toHaveLength(2);
  });

  it('is never turned round within one worker, nor lost, whatever the stamps', () => {
    const batches = fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), fc.array(fc.integer({ min: 0, max: 300 }))));
    fc.assert(
      fc.property(batches, fc.array(fc.integer({ min: 0, max: 100 })), (sent, pauses) => {
        const clock = new ManualClock();
        const startMs = clock.nowMs();
        const heard: number[][] = [[], [], []];
        const inOrder = new InOrder(clock.nowMs.bind(clock));
        const lines = heard.map((own) => inOrder.line((one) => own.push(Number(one[2]))));
        const expected: number[][] = [[], [], []];
        let number = 0;
        for (const [index, [worker, stamps]] of sent.entries()) {
          const batch = stamps.map((ms) => {
            number += 1;
            expected[worker]?.push(number);
            return told(startMs + ms, number);
          });
          lines[worker]?.take(batch);
          clock.advance(pauses[index] ?? 0);
          inOrder.apply();
        }
        for (const line of lines) line.end();
        expect(heard).toEqual(expected);
      }),
    );
  });
});
