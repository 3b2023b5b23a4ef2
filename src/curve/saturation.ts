import { hasEnoughWindows, median } from './max-under-slo.ts';
import type { CurveBin } from './operating-curve.ts';

/** Throughput that grows by less than this, however much the concurrency grows, no longer grows. */
const GROWTH = 1.05;

/**
 * The bin from which on more concurrency brings no more throughput, only longer waits: every higher bin is
 * less than 5 % above it, and each is at least a third more concurrent. Null while throughput still grows
 * where the data ends: then nobody knows yet.
 */
export function saturation(bins: readonly CurveBin[]): CurveBin | null {
  const known = bins.filter(hasEnoughWindows);
  const found = known.find((bin, index) => {
    const higher = known.slice(index + 1);
    return median(bin) > 0 && higher.length > 0 && higher.every((other) => median(other) <= GROWTH * median(bin));
  });
  return found ?? null;
}
