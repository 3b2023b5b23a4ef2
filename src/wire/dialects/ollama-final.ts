import type { CountReader } from '../counts.ts';
import { fromNanoseconds, unlessSilent } from '../durations.ts';
import type { ServerTimings, UsageSnapshot } from '../facts.ts';
import type { JsonObject } from '../json.ts';
import { usageOf } from '../snapshot.ts';

/**
 * The counts that Ollama gives at the end. All are left out when they are 0, and older versions leave
 * the input out when it came from the cache (FAULTS B22); `prompt_eval_cached_count` is part of the input.
 */
export function readOllamaCounts(final: JsonObject, counts: CountReader): UsageSnapshot | null {
  return usageOf({
    inputTokens: counts.read(final['prompt_eval_count']),
    cachedInputTokens: counts.read(final['prompt_eval_cached_count']),
    outputTokens: counts.read(final['eval_count']),
  });
}

/** Its durations. Loading the model is what a request waits for before its turn. */
export function readOllamaTimings(final: JsonObject): ServerTimings | null {
  return unlessSilent({
    queue_ms: fromNanoseconds(final['load_duration']),
    prefill_ms: fromNanoseconds(final['prompt_eval_duration']),
    decode_ms: fromNanoseconds(final['eval_duration']),
    total_ms: fromNanoseconds(final['total_duration']),
  });
}
