import { saysCounts, snapshotOf } from './counts.ts';
import type { UsageSnapshot } from './facts.ts';

/** A snapshot of the counts that were said; null when neither input nor output was. */
export function usageOf(counts: Parameters<typeof snapshotOf>[0]): UsageSnapshot | null {
  const snapshot = snapshotOf(counts);
  return saysCounts(snapshot) ? snapshot : null;
}

/**
 * Output with all that the total holds beyond the input (CONTRACT §6.3): reasoning that is counted apart
 * (xAI, Gemini), or output in a message that leaves its count out. A total that is too small takes
 * nothing away.
 */
export function wholeOutput(
  output: number | undefined,
  input: number | undefined,
  total: number | undefined,
): number | undefined {
  if (input === undefined || total === undefined || total < input) return output;
  return Math.max(output ?? 0, total - input);
}

/** Counts beside a total that holds them all. */
interface TotalledCounts {
  input: number | undefined;
  output: number | undefined;
  total: number | undefined;
  /** Tokens read from and written to a cache; inside the input, as OpenAI counts, or beside it, as Anthropic does. */
  cached: number | undefined;
  cacheWrite: number | undefined;
  reasoning: number | undefined;
}

/**
 * Input and output that make up the total (CONTRACT §6.3). What the total holds beyond them was counted apart:
 * reasoning (xAI), the cache (bridges to Anthropic) or both, as its size tells; of two that fit, the cache only
 * if it is too large for a part of the input. What fits neither was generated.
 */
export function fitToTotal(counts: TotalledCounts): { input: number | undefined; output: number | undefined } {
  const { input, output, total } = counts;
  const beyond = (total ?? 0) - (input ?? 0) - (output ?? 0);
  if (input === undefined || output === undefined || beyond <= 0) {
    return { input, output: wholeOutput(output, input, total) };
  }
  const apart = cacheApart(beyond, input, counts);
  return { input: input + apart, output: output + beyond - apart };
}

function cacheApart(
  beyond: number,
  input: number,
  { cached = 0, cacheWrite = 0, reasoning = 0 }: TotalledCounts,
): number {
  const caches = [cached + cacheWrite, cached, cacheWrite].filter((tokens) => tokens > 0);
  const fitting = caches.find((tokens) => tokens === beyond || tokens + reasoning === beyond) ?? 0;
  return beyond === reasoning && fitting <= input ? 0 : fitting;
}
