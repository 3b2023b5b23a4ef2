import type { Clock } from '../../src/clock.ts';

/** A clock that moves only when a test moves it. */
export class ManualClock implements Clock {
  #nowMs = 1_000_000;
  #epochMs = Date.UTC(2026, 0, 2, 3, 4, 5);

  nowMs(): number {
    return this.#nowMs;
  }

  epochMs(): number {
    return this.#epochMs;
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    this.#epochMs += ms;
  }

  /** Steps the wall clock alone, as an operator or NTP would. */
  stepWall(ms: number): void {
    this.#epochMs += ms;
  }
}
