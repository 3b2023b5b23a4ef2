import type { CountReader } from '../counts.ts';
import type { UsageSnapshot } from '../facts.ts';
import { type JsonObject, object } from '../json.ts';
import { fitToTotal, usageOf } from '../snapshot.ts';

/**
 * `input_tokens` and `output_tokens` as OpenAI's newer APIs say them, cached and reasoning tokens
 * included. Null where the usage says nothing of tokens: audio can be counted in seconds.
 */
export function readTokenUsage(usage: JsonObject, counts: CountReader): UsageSnapshot | null {
  const details = object(usage['input_tokens_details']);
  const output = counts.read(usage['output_tokens']);
  const cached = counts.read(details?.['cached_tokens']) ?? counts.read(usage['cache_read_input_tokens']);
  const cacheWrite = counts.read(details?.['cache_write_tokens']) ?? counts.read(usage['cache_creation_input_tokens']);
  const reasoning = counts.read(object(usage['output_tokens_details'])?.['reasoning_tokens']);
  const input = counts.read(usage['input_tokens']);
  const total = counts.read(usage['total_tokens']);
  const whole = fitToTotal({ input, output, total, cached, cacheWrite, reasoning });
  return usageOf({
    inputTokens: whole.input,
    cachedInputTokens: cached,
    cacheWriteInputTokens: cacheWrite,
    outputTokens: output === undefined ? undefined : whole.output,
    reasoningTokens: reasoning,
  });
}
