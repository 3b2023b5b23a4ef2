import type { AnswerMeter } from './answer-meter.ts';
import type { LiveAccount, Settlement } from './live-account.ts';
import type { Outcome, UsageSource } from './record.ts';
import { sourceOf } from './usage.ts';

/** The counts a request ends with. */
export interface FinalCount {
  source: UsageSource;
  inputTokens: number | null;
  cachedInputTokens: number | null;
  cacheWriteInputTokens: number | null;
  outputTokens: number | null;
  reasoningTokens: number | null;
  /** Output less reasoning that was counted but never streamed: what speeds are measured on (`n_visible`). */
  visibleTokens: number | null;
}

const NOTHING: FinalCount = {
  source: 'none',
  inputTokens: null,
  cachedInputTokens: null,
  cacheWriteInputTokens: null,
  outputTokens: null,
  reasoningTokens: null,
  visibleTokens: null,
};

/** The upstream's own count where it gives one, else the live estimate, else nothing (CONTRACT §6.4). */
export function finalCount(
  answer: AnswerMeter,
  ending: { outcome: Outcome; estimates: boolean },
  account: LiveAccount,
): FinalCount {
  const usage = answer.usageSeen;
  const seen = {
    output: answer.timing.chunks > 0,
    whole: ending.outcome === 'complete',
    estimates: ending.estimates,
  };
  const source = sourceOf(usage, seen);
  if (source === 'none') return NOTHING;
  const outputTokens = source === 'estimated' ? estimate(answer, account) : usage.outputTokens;
  return {
    source,
    inputTokens: usage.inputTokens,
    cachedInputTokens: usage.cachedInputTokens,
    cacheWriteInputTokens: usage.cacheWriteInputTokens,
    outputTokens,
    reasoningTokens: usage.reasoningTokens,
    visibleTokens: visible(outputTokens, usage.reasoningTokens, answer.hasReasoning),
  };
}

/** What the ledger is told: the final count, when it was produced, and what calibration may learn from it. */
export function settlementOf(
  count: FinalCount,
  answer: AnswerMeter,
  times: { fromMs: number; toMs: number },
): Settlement {
  const timing = answer.timing;
  const teaches = count.source === 'reported' && answer.streamed && count.visibleTokens !== null && timing.chunks > 0;
  return {
    outputTokens: count.outputTokens,
    lesson: teaches
      ? { visibleTokens: count.visibleTokens ?? 0, characters: timing.characters, chunks: timing.chunks }
      : null,
    fromMs: (answer.streamed ? timing.firstTokenMs : null) ?? times.fromMs,
    toMs: (answer.streamed ? timing.lastTokenMs : null) ?? times.toMs,
  };
}

function estimate(answer: AnswerMeter, account: LiveAccount): number {
  const { characters, chunks } = answer.timing;
  const tokens = answer.streamed ? account.estimate() : account.estimateOf(characters, chunks);
  return Math.max(1, Math.round(tokens));
}

function visible(output: number | null, reasoning: number | null, wasStreamed: boolean): number | null {
  if (output === null) return null;
  return wasStreamed ? output : Math.max(0, output - (reasoning ?? 0));
}
