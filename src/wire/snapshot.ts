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
