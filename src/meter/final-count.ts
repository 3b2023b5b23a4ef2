import type { AnswerMeter } from './answer-meter.ts';
import type { LiveAccount, Settlement } from './live-account.ts';
import type { LocalCount } from './opening.ts';
import type { Outcome, UsageSource } from './record.ts';
import { runningCount, sourceOf } from './usage.ts';

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

/** Where the output count of this answer will come from (CONTRACT §6.4). */
export function sourceOfAnswer(answer: AnswerMeter, ending: { outcome: Outcome; estimates: boolean }): UsageSource {
  return sourceOf(answer.usageSeen, {
    output: answer.timing.chunks > 0,
    whole: ending.outcome === 'complete',
    estimates: ending.estimates,
  });
}

/** The upstream's own count where it gives one, else the local tokenizer's, else the live estimate, else nothing. */
export function finalCount(
  answer: AnswerMeter,
  source: UsageSource,
  estimated: { account: LiveAccount; local: LocalCount | null },
): FinalCount {
  if (source === 'none') return NOTHING;
  const usage = answer.usageSeen;
  const { account, local } = estimated;
  const outputTokens =
    source === 'estimated'
      ? (runningCount(usage) ?? local?.outputTokens ?? liveEstimate(answer, account))
      : usage.outputTokens;
  const isUnknown = source === 'estimated' && outputTokens === null;
  return {
    source: isUnknown ? 'none' : source,
    inputTokens: usage.inputTokens ?? local?.inputTokens ?? null,
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
  times: { fromMs: number; toMs: number; isWhole: boolean },
): Settlement {
  const timing = answer.timing;
  const teaches = count.source === 'reported' && answer.streamed && count.visibleTokens !== null && timing.chunks > 0;
  return {
    outputTokens: count.outputTokens,
    wasReported: times.isWhole ? count.source === 'reported' : null,
    lesson: teaches
      ? { visibleTokens: count.visibleTokens ?? 0, characters: timing.characters, chunks: timing.chunks }
      : null,
    fromMs: (answer.streamed ? timing.firstTokenMs : null) ?? times.fromMs,
    toMs: (answer.streamed ? timing.lastTokenMs : null) ?? times.toMs,
  };
}

/** Null for an answer in one body of a model nobody has learned from: one chunk says nothing of its tokens. */
function liveEstimate(answer: AnswerMeter, account: LiveAccount): number | null {
  const tokens = answer.streamed ? account.estimate() : account.estimateOf(answer.timing.characters);
  return tokens === null ? null : Math.max(1, Math.round(tokens));
}

function visible(output: number | null, reasoning: number | null, wasStreamed: boolean): number | null {
  if (output === null) return null;
  return wasStreamed ? output : Math.max(0, output - (reasoning ?? 0));
}
