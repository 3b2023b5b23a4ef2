import { type CountReader, snapshotOf } from '../counts.ts';
import type { FactSink, UsageSnapshot } from '../facts.ts';
import { type JsonObject, object, string } from '../json.ts';

/**
 * Cohere's `usage` (v2) or `meta` (v1) in canonical counts. `tokens` is what the model read and
 * wrote; `billed_units` leaves out what Cohere adds itself, and has been seen ten times smaller.
 */
export function readCohereUsage(usage: JsonObject, counts: CountReader): UsageSnapshot {
  const tokens = object(usage['tokens']);
  return snapshotOf({
    inputTokens: counts.read(tokens?.['input_tokens']),
    cachedInputTokens: counts.read(usage['cached_tokens']),
    outputTokens: counts.read(tokens?.['output_tokens']),
    reasoningTokens: counts.read(tokens?.['reasoning_tokens']),
  });
}

/** The end of an answer, which tells of failures too. True when there is one. */
export function readCohereEnd(holder: JsonObject, sink: FactSink): boolean {
  const reason = string(holder['finish_reason']);
  if (reason === '') return false;
  sink.choiceEnded(0, reason);
  if (reason.startsWith('ERROR') || reason === 'TIMEOUT') sink.failed();
  return true;
}
