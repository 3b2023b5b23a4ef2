import { beforeEach, describe, expect, it } from 'vitest';
import { EventLoopLag } from '../../../src/metrics/event-loop-lag.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';

describe('the event-loop lag', () => {
  let clock: ManualClock;
  let lag: EventLoopLag;

  beforeEach(() => {
    clock = new ManualClock();
    lag = new EventLoopLag(clock);
  });

  /** Samples every 10 ms for so long, each so late. */
  function run(forMs: number, lateMs: number): void {
    for (let passed = 0; passed < forMs; passed += 10 + lateMs) {
      clock.advance(10 + lateMs);
      lag.sample(lateMs, clock.nowMs());
    }
  }

  const p99Ms = () => lag.p99Ms(clock.nowMs());

  it('is unknown before the first sample', () => {
    expect(p99Ms()).toBeNull();
  });

  it('is 0 while the loop is on time, and early timers are not late ones', () => {
    run(10_000, 0);
    lag.sample(-1, clock.nowMs());
    expect(p99Ms()).toBe(0);
  });

  it('is right to a tenth for a loop that is always late', () => {
    run(10_000, 7);
    expect(p99Ms()).toBeGreaterThanOrEqual(7);
    expect(p99Ms()).toBeLessThan(7.7);
  });

  it('shows one stall of a second in 20 seconds, as what events in it waited', () => {
    run(20_000, 0);
    clock.advance(1_010);
    lag.sample(1_000, clock.nowMs());
    // 100 of 2,101 samples fell into the stall; the 21 longest of them, 1 %, waited 800 ms and more.
    expect(p99Ms()).toBeGreaterThan(700);
    expect(p99Ms()).toBeLessThan(900);
  });

  it('forgets a stall after 30 seconds and not before 25, however often it is read', () => {
    clock.advance(100_000 - (clock.nowMs() % 5_000));
    lag.sample(1_000, clock.nowMs());
    run(24_900, 0);
    for (let reads = 0; reads < 5; reads += 1) expect(p99Ms()).toBeGreaterThan(100);
    run(5_200, 0);
    expect(p99Ms()).toBe(0);
  });

  it('is unknown again after a pause longer than its window', () => {
    run(1_000, 5);
    clock.advance(40_000);
    expect(p99Ms()).toBeNull();
  });

  it('bounds the work of one sample, and the lag it tells', () => {
    lag.sample(24 * 3_600_000, clock.nowMs());
    expect(p99Ms()).toBeGreaterThan(50_000);
    expect(p99Ms()).toBeLessThan(70_000);
  });
});
