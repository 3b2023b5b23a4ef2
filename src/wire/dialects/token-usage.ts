import type { CountReader } from '../counts.ts';
import type { UsageSnapshot } from '../facts.ts';
import { type JsonObject, object } from '../json.ts';
import { usageOf, wholeOutput } from '../snapshot.ts';

/**
 * `input_tokens` and `output_tokens` as OpenAI's newer APIs say them, cached and reasoning tokens
 * included. Null where the usage says nothing of tokens: audio can be counted in seconds.
 */
export function readTokenUsage(usage: JsonObject, counts: CountReader): UsageSnapshot | null {
  const input = counts.read(usage['input_tokens']);
  const output = counts.read(usage['output_tokens']);
  const details = object(usage['input_tokens_details']);
  return usageOf({
    inputTokens: input,
    cachedInputTokens: counts.read(details?.['cached_tokens']),
    cacheWriteInputTokens: counts.read(details?.['cache_write_tokens']),
    outputTokens: output === undefined ? undefined : wholeOutput(output, input, counts.read(usage['total_tokens'])),
    reasoningTokens: counts.read(object(usage['output_tokens_details'])?.['reasoning_tokens']),
  });
}
