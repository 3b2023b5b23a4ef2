import type { Clock } from '../clock.ts';

const MAX_STARTS = 5;
const WINDOW_MS = 60_000;

/** How often a thread may be started: a fault that comes back with every count must not load encodings for ever. */
export class RestartBudget {
  readonly #clock: Clock;
  readonly #startsMs: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True, and one start is used up, when fewer than five were made in the last minute. */
  take(): boolean {
    const nowMs = this.#clock.nowMs();
    while ((this.#startsMs[0] ?? nowMs) <= nowMs - WINDOW_MS) this.#startsMs.shift();
    if (this.#startsMs.length >= MAX_STARTS) return false;
    this.#startsMs.push(nowMs);
    return true;
  }
}
