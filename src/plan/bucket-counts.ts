import type { LogBins } from '../live/log-bins.ts';

/** Values in a bucket are taken as evenly spread over it, as Prometheus takes them; in so many pieces. */
const PIECES = 16;
/** Increases of two buckets that hold the same are alike but for the arithmetic. */
const ROUNDING = 1e-6;

/** How often each upper bound of a histogram was met or stayed under, as Prometheus counts: cumulative. */
export class BucketCounts {
  readonly #atMost = new Map<number, number>();

  /** `le` as the label has it. */
  add(le: string, count: number): void {
    const bound = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le);
    if (Number.isNaN(bound) || !(count >= 0)) return;
    this.#atMost.set(bound, (this.#atMost.get(bound) ?? 0) + count);
  }

  get total(): number {
    return Math.max(0, ...this.#atMost.values());
  }

  /** The bound of the highest bucket that holds anything, twice the last one for what is above it; 0 where there is nothing. */
  get highest(): number {
    let finite = 0;
    for (const [bound, atMost] of [...this.#atMost].sort(([a], [b]) => a - b)) {
      if (!Number.isFinite(bound)) return 2 * finite;
      if (atMost >= this.total * (1 - ROUNDING)) return bound;
      finite = bound;
    }
    return 0;
  }

  /** Adds its values to bins, times `per`, the unit of the bins in that of the bounds. What is above the last bound counts as twice that. */
  intoBins(bins: LogBins, per: number): void {
    let below = 0;
    let from = 0;
    for (const [bound, atMost] of [...this.#atMost].sort(([a], [b]) => a - b)) {
      const count = atMost - below;
      const to = Number.isFinite(bound) ? bound : 2 * from;
      if (count > 0) {
        const isOpen = !Number.isFinite(bound);
        for (let piece = 0; piece < PIECES; piece += 1) {
          const value = isOpen ? to : from + ((to - from) * (piece + 0.5)) / PIECES;
          bins.add(value * per, count / PIECES);
        }
      }
      below = Math.max(below, atMost);
      from = to;
    }
  }
}
