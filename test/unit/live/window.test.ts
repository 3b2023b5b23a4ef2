import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Throughput } from '../../../src/live/throughput.ts';
import { Window } from '../../../src/live/window.ts';

describe('a window', () => {
  it('counts whole seconds before now: a steady 50 tokens a second reads 50', () => {
    const window = new Window();
    for (let atMs = 0; atMs < 20_000; atMs += 20) window.tokens(1, atMs);
    expect(window.tokensOver(10, 20_000) / 10).toBe(50);
    expect(window.tokensOver(1, 19_999)).toBe(50);
  });

  it('spreads the tokens of an unstreamed answer evenly over its interval', () => {
    const window = new Window();
    window.spread(100, 500, 10_500);
    expect(window.tokensOver(1, 2_000)).toBeCloseTo(10);
    expect(window.tokensOver(60, 11_000)).toBeCloseTo(100);
  });

  it('knows the part of a window in which something was decoding or unstreamed', () => {
    const window = new Window();
    window.phase(null, 'prefill', 1_000);
    window.phase('prefill', 'decode', 4_000);
    window.phase('decode', null, 6_500);
    expect(window.activeSecondsOver(10, 10_000)).toBeCloseTo(2.5);
    window.phase(null, 'unstreamed', 10_000);
    expect(window.activeSecondsOver(10, 12_000)).toBeCloseTo(4.5);
  });

  it('forgets after an hour, and a ring that has gone round holds no old second', () => {
    const window = new Window();
    window.tokens(7, 5_000);
    window.tokens(1, 5_000 + 3_600_000);
    expect(window.tokensOver(3_600, 3_606_000)).toBe(1);
    window.tokens(9, 5_500);
    expect(window.tokensOver(3_600, 3_606_000)).toBe(1);
  });

  it('after a long silence reads nothing', () => {
    const window = new Window();
    window.tokens(100, 1_000);
    expect(window.tokensOver(60, 10_000_000)).toBe(0);
  });

  it('loses no token of any interval within the hour', () => {
    const interval = fc.tuple(fc.nat(1_000), fc.nat(1_000_000), fc.nat(500_000));
    fc.assert(
      fc.property(fc.array(interval, { maxLength: 30 }), (intervals) => {
        const window = new Window();
        let sum = 0;
        for (const [tokens, fromMs, lengthMs] of intervals) {
          window.spread(tokens, fromMs, fromMs + lengthMs);
          sum += tokens;
        }
        expect(window.tokensOver(3_600, 1_600_000)).toBeCloseTo(sum, 5);
      }),
    );
  });
});

describe('live throughput', () => {
  it('effective divides by the window, active by the part of it with work in it', () => {
    const throughput = new Throughput();
    const window = throughput.windowOf('u', 'm');
    window.phase(null, 'decode', 2_000);
    for (let atMs = 2_000; atMs < 4_000; atMs += 10) window.tokens(1, atMs);
    window.phase('decode', null, 4_000);
    const reading = (windowSeconds: number, mode: string) =>
      [...throughput.readings(10_000)].find((one) => one.windowSeconds === windowSeconds && one.mode === mode);
    expect(reading(10, 'effective')?.tokensPerSecond).toBe(20);
    expect(reading(10, 'active')?.tokensPerSecond).toBe(100);
    expect(reading(1, 'active')?.tokensPerSecond).toBeNull();
  });

  it('sums the models of one upstream, and all', () => {
    const throughput = new Throughput();
    throughput.windowOf('a', 'm').tokens(30, 1_500);
    throughput.windowOf('a', 'n').tokens(20, 1_500);
    throughput.windowOf('b', 'm').tokens(10, 1_500);
    expect(throughput.total('a', 1, 2_000)).toBe(50);
    expect(throughput.total(null, 10, 2_000)).toBe(6);
  });
});
