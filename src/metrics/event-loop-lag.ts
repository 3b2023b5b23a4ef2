import type { Clock } from '../clock.ts';

/** How often the loop is asked to turn to us: a hundred small calls a second, 0.02 % of a core. */
const SAMPLE_EVERY_MS = 10;
/** The window is a ring of cells, of which the oldest is dropped whole: 25 to 30 seconds. Longer than the usual scrape interval, so that no stall falls between two scrapes. */
const CELL_MS = 5_000;
const CELLS = 6;
/** Bins grow by a tenth from 0.1 ms to over a minute: the quantile is right to 10 %. */
const FIRST_BOUND_MS = 0.1;
const GROWTH = 1.1;
const BINS = 142;
/** A stall longer than this is counted as if it were this long. */
const LONGEST_STALL_MS = 60_000;

/**
 * How late the event loop turns to what is due. A stall of d counts once for every sample that it
 * swallowed, with what was left of it (d, d − 10 ms, …): what an event that arrives at any moment
 * would have waited. Counted once, a stall of a second in half a minute would not move a p99.
 */
export class EventLoopLag {
  readonly #clock: Clock;
  readonly #cells = Array.from({ length: CELLS }, () => new Uint32Array(BINS));
  #cellIndex = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(): void {
    let dueMs = this.#clock.nowMs() + SAMPLE_EVERY_MS;
    this.#timer ??= setInterval(() => {
      const nowMs = this.#clock.nowMs();
      this.sample(nowMs - dueMs, nowMs);
      dueMs = nowMs + SAMPLE_EVERY_MS;
    }, SAMPLE_EVERY_MS).unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** The loop came `lateMs` after it was due (timers round, so it may come a little early). */
  sample(lateMs: number, nowMs: number): void {
    const cell = this.#cellAt(nowMs);
    let leftMs = Math.min(Math.max(0, lateMs), LONGEST_STALL_MS);
    do {
      const bin = binOf(leftMs);
      cell[bin] = (cell[bin] ?? 0) + 1;
      leftMs -= SAMPLE_EVERY_MS;
    } while (leftMs > 0);
  }

  /** 99th percentile over the window, in milliseconds; null before the first sample in it. */
  p99Ms(nowMs: number): number | null {
    this.#cellAt(nowMs);
    const bins = new Float64Array(BINS);
    let samples = 0;
    for (const cell of this.#cells) {
      for (let bin = 0; bin < BINS; bin += 1) {
        bins[bin] = (bins[bin] ?? 0) + (cell[bin] ?? 0);
        samples += cell[bin] ?? 0;
      }
    }
    if (samples === 0) return null;
    let below = 0;
    for (let bin = 0; bin < BINS; bin += 1) {
      below += bins[bin] ?? 0;
      if (below >= 0.99 * samples) return bin === 0 ? 0 : FIRST_BOUND_MS * GROWTH ** bin;
    }
    return LONGEST_STALL_MS;
  }

  /** The cell of this moment; those that time has passed over are emptied. */
  #cellAt(nowMs: number): Uint32Array {
    const index = Math.floor(nowMs / CELL_MS);
    const passed = Math.min(CELLS, index - this.#cellIndex);
    for (let step = 1; step <= passed; step += 1) this.#cellOf(index - passed + step).fill(0);
    if (passed > 0) this.#cellIndex = index;
    return this.#cellOf(this.#cellIndex);
  }

  #cellOf(index: number): Uint32Array {
    return this.#cells[index % CELLS] ?? new Uint32Array(BINS);
  }
}

function binOf(ms: number): number {
  if (ms <= FIRST_BOUND_MS) return 0;
  return Math.min(BINS - 1, Math.ceil(Math.log(ms / FIRST_BOUND_MS) / Math.log(GROWTH)));
}
