import type { UsageSnapshot } from '../wire/facts.ts';
import type { UsageSource } from './record.ts';

/**
 * Merges the usage snapshots of one answer: field by field the maximum, never a sum, and an absent
 * field overwrites nothing (CONTRACT §6.2; FAULTS B08 to B11, B20). Dialects whose snapshots do add
 * up merge them before they reach this place.
 */
export class UsageMerge {
  inputTokens: number | null = null;
  cachedInputTokens: number | null = null;
  cacheWriteInputTokens: number | null = null;
  outputTokens: number | null = null;
  reasoningTokens: number | null = null;
  /** The upstream's last word: said something, and no output came after it. */
  final = false;
  /** No output event was seen since the last snapshot that raised the output count. */
  coversAll = false;
  readonly #byChoice = new Map<number, number>();

  /** Returns true when the output count of the stream has grown (CONTRACT §1, TTFT: growth counts as a token). */
  add(snapshot: UsageSnapshot, final: boolean): boolean {
    const before = this.outputTokens ?? 0;
    this.inputTokens = greater(this.inputTokens, snapshot.inputTokens);
    this.cachedInputTokens = greater(this.cachedInputTokens, snapshot.cachedInputTokens);
    this.cacheWriteInputTokens = greater(this.cacheWriteInputTokens, snapshot.cacheWriteInputTokens);
    this.outputTokens = greater(this.outputTokens, snapshot.outputTokens);
    this.reasoningTokens = greater(this.reasoningTokens, snapshot.reasoningTokens);
    if (final && saysSomething(snapshot)) this.final = true;
    const grown = (this.outputTokens ?? 0) > before;
    if (grown) this.coversAll = true;
    return grown;
  }

  choiceTokens(choice: number, outputTokens: number): void {
    this.#byChoice.set(choice, Math.max(outputTokens, this.#byChoice.get(choice) ?? 0));
  }

  tokensOfChoice(choice: number): number | null {
    return this.#byChoice.get(choice) ?? null;
  }
}

/**
 * How far the output count can be trusted (CONTRACT §6.4). A running count that lags behind the
 * output that was seen is not the upstream's count of it; then the estimate serves.
 */
export function sourceOf(
  usage: UsageMerge,
  seen: { output: boolean; whole: boolean; estimates: boolean },
): UsageSource {
  if (usage.final && (!seen.output || saysOutput(usage))) return 'reported';
  // A whole answer without a last word: its running count is the best estimate there is, and no report.
  if (runningCount(usage) !== null && !seen.whole) return 'partial';
  return seen.output && seen.estimates ? 'estimated' : 'none';
}

/**
 * A last word about an answer that had output must tell of that output. One that has a prompt but no
 * output is a count that lags; one of zeros throughout is what a recording holds, and is taken.
 */
function saysOutput(usage: UsageMerge): boolean {
  return (usage.outputTokens ?? 0) > 0 || (usage.outputTokens === 0 && usage.inputTokens === 0);
}

/** The upstream's running count, where it covers all output that was seen. */
export function runningCount(usage: UsageMerge): number | null {
  return usage.coversAll && (usage.outputTokens ?? 0) > 0 ? usage.outputTokens : null;
}

function saysSomething(snapshot: UsageSnapshot): boolean {
  return snapshot.inputTokens !== undefined || snapshot.outputTokens !== undefined;
}

function greater(known: number | null, said: number | undefined): number | null {
  if (said === undefined) return known;
  return known === null ? said : Math.max(known, said);
}
