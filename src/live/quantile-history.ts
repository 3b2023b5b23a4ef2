import { RecentQuantiles } from './recent.ts';

/** More than the page shows. */
const SECONDS = 1_024;
/** What is this long ago says nothing of the last minute. */
const FORGOTTEN_SECONDS = 70;

/**
 * Quantiles of the last minute, now and as they were at the end of each second of the last quarter of an hour. A
 * second is closed by the first value that comes after it, or by who asks for it: no timer runs.
 */
export class QuantileHistory {
  readonly #recent: RecentQuantiles;
  readonly #qs: readonly number[];
  /** One ring for each quantile; NaN where there was none. */
  readonly #rings: Float64Array[];
  /** The first second that is not closed. */
  #open = 0;
  #lastValue = Number.NEGATIVE_INFINITY;

  /** `lowest`: the smallest value told apart. */
  constructor(lowest: number, qs: readonly number[]) {
    this.#recent = new RecentQuantiles(lowest);
    this.#qs = qs;
    this.#rings = qs.map(() => new Float64Array(SECONDS).fill(Number.NaN));
  }

  add(value: number, nowMs: number): void {
    const second = Math.floor(nowMs / 1_000);
    this.#close(second);
    this.#lastValue = second;
    this.#recent.add(value, nowMs);
  }

  /** One for each `q`; null when nothing was added in the last minute. */
  now(nowMs: number): number[] | null {
    this.#close(Math.floor(nowMs / 1_000));
    return this.#recent.quantiles(this.#qs, nowMs);
  }

  /** A column for each `q` of so many seconds that are over; the first is `from`. */
  bySecond(from: number, seconds: number): (number | null)[][] {
    this.#close(from + seconds);
    return this.#rings.map((ring) =>
      Array.from({ length: seconds }, (_, index) => known(ring[(from + index) % SECONDS] ?? Number.NaN)),
    );
  }

  #close(current: number): void {
    for (let second = Math.max(this.#open, current - SECONDS); second < current; second += 1) {
      const isForgotten = second - this.#lastValue > FORGOTTEN_SECONDS;
      // The last millisecond of it: what falls away with the next second is still there.
      const values = isForgotten ? null : this.#recent.quantiles(this.#qs, second * 1_000 + 999);
      for (const [index, ring] of this.#rings.entries()) ring[second % SECONDS] = values?.[index] ?? Number.NaN;
    }
    this.#open = Math.max(this.#open, current);
  }
}

function known(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
