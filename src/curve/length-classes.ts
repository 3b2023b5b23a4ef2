import { hasEnoughWindows } from './max-under-slo.ts';
import type { CurveBin } from './operating-curve.ts';
import { pooled } from './series-figures.ts';

/** Medians that differ by more than this between two bins are two classes of work. */
const UNLIKE = 2;

/**
 * One sentence for each kind of length in which the bins are unlike: throughput depends on lengths, so that
 * the rise from one bin to the next may then be the work's and not the concurrency's.
 */
export function unlikeLengths(bins: readonly CurveBin[]): string[] {
  const known = bins.filter(hasEnoughWindows);
  return (['input', 'output'] as const).flatMap((kind) => {
    const medians = known.flatMap((bin) => {
      const tokens = pooled(bin.series, kind).quantile(0.5);
      return tokens === null ? [] : [{ tokens, concurrency: bin.concurrency }];
    });
    const [least] = medians.toSorted((a, b) => a.tokens - b.tokens);
    const most = medians.toSorted((a, b) => a.tokens - b.tokens).at(-1);
    if (least === undefined || most === undefined || most.tokens <= UNLIKE * least.tokens) return [];
    return [
      `unlike ${kind} lengths: the median is ${Math.round(least.tokens)} tokens at concurrency ${least.concurrency} and ${Math.round(most.tokens)} at ${most.concurrency}`,
    ];
  });
}
