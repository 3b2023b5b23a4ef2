import type { LiveAccount, Settlement } from './live-account.ts';
import type { LocalCount, LocalCountResult } from './local-counting.ts';
import type { Outcome, UsageSource } from './record.ts';
import type { AnswerRead } from './so-far.ts';
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
  /** How the local count of the output went; null where none was needed. */
  localCount: LocalCountResult | null;
}

const NOTHING: FinalCount = {
  source: 'none',
  inputTokens: null,
  cachedInputTokens: null,
  cacheWriteInputTokens: null,
  outputTokens: null,
  reasoningTokens: null,
  visibleTokens: null,
  localCount: null,
};

/** Where the output count of this answer will come from (CONTRACT §6.4). */
export function sourceOfAnswer(answer: AnswerRead, ending: { outcome: Outcome; estimates: boolean }): UsageSource {
  return sourceOf(answer.usageSeen, {
    output: answer.timing.chunks > 0,
    characters: answer.timing.characters,
    whole: ending.outcome === 'complete',
    estimates: ending.estimates,
  });
}

/** The upstream's own count where it gives one, else the local tokenizer's, else the live estimate, else nothing. */
export function finalCount(
  answer: AnswerRead,
  source: UsageSource,
  estimated: { account: LiveAccount; local: LocalCount | null },
): FinalCount {
  if (source === 'none') return NOTHING;
  const usage = answer.usageSeen;
  const { outputTokens, localCount } =
    source === 'estimated'
      ? estimatedOutput(answer, estimated)
      : { outputTokens: usage.outputTokens, localCount: null };
  const isUnknown = source === 'estimated' && outputTokens === null;
  return {
    source: isUnknown ? 'none' : source,
    inputTokens: usage.inputTokens ?? estimated.local?.inputTokens ?? null,
    cachedInputTokens: usage.cachedInputTokens,
    cacheWriteInputTokens: usage.cacheWriteInputTokens,
    outputTokens,
    reasoningTokens: usage.reasoningTokens,
    visibleTokens: visible(outputTokens, usage.reasoningTokens, answer.hasReasoning),
    localCount,
  };
}

function estimatedOutput(
  answer: AnswerRead,
  { account, local }: { account: LiveAccount; local: LocalCount | null },
): Pick<FinalCount, 'outputTokens' | 'localCount'> {
  const { running } = answer.usageSeen;
  if (running !== null) return { outputTokens: running, localCount: null };
  if (local !== null && local.outputTokens !== null) {
    return { outputTokens: local.outputTokens, localCount: local.isExtrapolated ? 'extrapolated' : 'counted' };
  }
  // Of an answer without a character, sound say, there was nothing to count.
  const localCount = answer.timing.characters === 0 ? null : 'fell_back';
  return { outputTokens: liveEstimate(answer, account), localCount };
}

/** What the ledger is told: the final count, when it was produced, and what calibration may learn from it. */
export function settlementOf(
  count: FinalCount,
  answer: AnswerRead,
  times: { fromMs: number; toMs: number; isWhole: boolean },
): Settlement {
  const timing = answer.timing;
  const isReported = count.source === 'reported';
  const isCounted = isReported || count.localCount === 'counted' || count.localCount === 'extrapolated';
  const teaches = isCounted && answer.streamed && count.visibleTokens !== null && timing.chunks > 0;
  return {
    outputTokens: count.outputTokens,
    // Lists of tokens come where the client asked for them: they promise nothing to the next.
    wasReported: times.isWhole ? isReported && !answer.usageSeen.isCountedByLists : null,
    lesson: teaches
      ? { visibleTokens: count.visibleTokens ?? 0, characters: timing.characters, chunks: timing.chunks, isReported }
      : null,
    fromMs: (answer.streamed ? timing.firstTokenMs : null) ?? times.fromMs,
    toMs: (answer.streamed ? timing.lastTokenMs : null) ?? times.toMs,
  };
}

/** Null for an answer in one body of a model nobody has learned from: one chunk says nothing of its tokens. */
function liveEstimate(answer: AnswerRead, account: LiveAccount): number | null {
  const tokens = answer.streamed ? account.estimate() : account.estimateOf(answer.timing.characters);
  return tokens === null ? null : Math.max(1, Math.round(tokens));
}

function visible(output: number | null, reasoning: number | null, wasStreamed: boolean): number | null {
  if (output === null) return null;
  return wasStreamed ? output : Math.max(0, output - (reasoning ?? 0));
}
