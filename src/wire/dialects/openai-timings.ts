import type { CountReader } from '../counts.ts';
import { fireworksTimings, fromSeconds, unlessSilent } from '../durations.ts';
import type { ServerTimings, UsageSnapshot } from '../facts.ts';
import { type JsonObject, measure, object } from '../json.ts';

/** What an OpenAI-shaped message says of the server's own time; null where it says nothing. */
export function readTimings(message: JsonObject, usage: JsonObject | null): ServerTimings | null {
  const llama = object(message['timings']);
  if (llama !== null) {
    const [prefill_ms, decode_ms] = [measure(llama['prompt_ms']), measure(llama['predicted_ms'])];
    return unlessSilent({ queue_ms: null, prefill_ms, decode_ms, total_ms: null });
  }
  const fireworks = object(message['perf_metrics']);
  if (fireworks !== null) return fireworksTimings((name) => fireworks[name]);
  const vllm = object(message['metrics']);
  if (vllm !== null) return vllmTimings(vllm);
  // Groq in its usage, Cerebras beside it, in the same words.
  const seconds = usage?.['total_time'] === undefined ? object(message['time_info']) : usage;
  return seconds === null ? null : secondsTimings(seconds);
}

/** Its first token's time counts from when the request was scheduled, and so leaves the queue out. */
function vllmTimings(metrics: JsonObject): ServerTimings | null {
  return unlessSilent({
    queue_ms: measure(metrics['queue_time_ms']),
    prefill_ms: measure(metrics['time_to_first_token_ms']),
    decode_ms: measure(metrics['generation_time_ms']),
    total_ms: null,
  });
}

function secondsTimings(seconds: JsonObject): ServerTimings | null {
  return unlessSilent({
    queue_ms: fromSeconds(seconds['queue_time']),
    prefill_ms: fromSeconds(seconds['prompt_time']),
    decode_ms: fromSeconds(seconds['completion_time']),
    total_ms: fromSeconds(seconds['total_time']),
  });
}

/**
 * The counts in llama.cpp's `timings`, also sent by servers that took over the shape. `prompt_n` leaves
 * out what came from the cache, so without `cache_n` the input is not known (FAULTS B24).
 */
export function readLlamaCounts(timings: JsonObject, counts: CountReader): UsageSnapshot {
  const prompt = counts.read(timings['prompt_n']);
  const cached = counts.read(timings['cache_n']);
  const predicted = counts.read(timings['predicted_n']);
  const snapshot: UsageSnapshot = {};
  if (prompt !== undefined && cached !== undefined) snapshot.inputTokens = prompt + cached;
  if (cached !== undefined) snapshot.cachedInputTokens = cached;
  if (predicted !== undefined) snapshot.outputTokens = predicted;
  return snapshot;
}
