/**
 * Gaps between output chunks of one request, binned as they come and handed on once, at the end:
 * whether the client was too slow to be counted (CONTRACT §6.10) is only known then.
 */

/** Upper bounds in milliseconds; the last bin is unbounded. Shared with `pitot_inter_chunk_seconds`. */
export const GAP_BOUNDS_MS: readonly number[] = [
  0.5, 1, 2, 3, 5, 7.5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1_000, 2_500, 5_000, 10_000, 30_000,
];

/** The same in plain numbers. */
export interface GapsSoFar {
  counts: number[];
  sumMs: number;
  longestMs: number;
}

export class GapBins {
  readonly counts = new Uint32Array(GAP_BOUNDS_MS.length + 1);
  sumMs = 0;
  longestMs = 0;

  /** As another process told it. */
  static of({ counts, sumMs, longestMs }: GapsSoFar): GapBins {
    const bins = new GapBins();
    bins.counts.set(counts);
    bins.sumMs = sumMs;
    bins.longestMs = longestMs;
    return bins;
  }

  get soFar(): GapsSoFar {
    return { counts: [...this.counts], sumMs: this.sumMs, longestMs: this.longestMs };
  }

  add(gapMs: number): void {
    let low = 0;
    let high = GAP_BOUNDS_MS.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (gapMs <= (GAP_BOUNDS_MS[middle] ?? Number.POSITIVE_INFINITY)) high = middle;
      else low = middle + 1;
    }
    this.counts[low] = (this.counts[low] ?? 0) + 1;
    this.sumMs += gapMs;
    if (gapMs > this.longestMs) this.longestMs = gapMs;
  }
}
