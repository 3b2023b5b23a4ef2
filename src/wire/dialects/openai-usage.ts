import type { CountReader } from '../counts.ts';
import type { UsageSnapshot } from '../facts.ts';
import { type JsonObject, object } from '../json.ts';
import { fitToTotal, usageOf } from '../snapshot.ts';

/**
 * The `usage` object of OpenAI-shaped answers in canonical counts. Null where it says nothing.
 * Cached tokens are said in five places; they are kept raw (Azure's Grok reports more cached than
 * prompt tokens), so clamping is for whoever derives figures.
 */
export function readOpenaiUsage(usage: JsonObject, counts: CountReader): UsageSnapshot | null {
  const prompt = object(usage['prompt_tokens_details']);
  const input = counts.read(usage['prompt_tokens']);
  const completion = counts.read(usage['completion_tokens']);
  const reasoning = counts.read(object(usage['completion_tokens_details'])?.['reasoning_tokens']);
  const cached =
    counts.read(prompt?.['cached_tokens']) ??
    counts.read(usage['prompt_cache_hit_tokens']) ?? // DeepSeek
    counts.read(usage['cached_tokens']) ?? // Together
    counts.read(object(usage['prompt_token_details'])?.['cached_tokens']) ?? // Writer
    counts.read(usage['cache_read_input_tokens']); // bridges to Anthropic, Databricks say
  const cacheWrite =
    counts.read(prompt?.['cache_write_tokens']) ?? // OpenRouter
    counts.read(usage['cache_creation_input_tokens']);
  const total = counts.read(usage['total_tokens']);
  const { input: inputTokens, output } = fitToTotal({
    input,
    output: completion,
    total,
    cached,
    cacheWrite,
    reasoning,
  });
  return usageOf({
    inputTokens,
    cachedInputTokens: cached,
    cacheWriteInputTokens: cacheWrite,
    // What the total holds beyond the prompt was generated, whether its count stands there or not.
    outputTokens: completion === undefined && total === input ? undefined : output,
    reasoningTokens: reasoning,
  });
}

/** Ollama and others fill usage with zeros until they know better. No prompt is empty, so this says nothing. */
export function isPlaceholder(usage: UsageSnapshot): boolean {
  return (usage.inputTokens ?? 0) === 0 && (usage.outputTokens ?? 0) === 0;
}
