import { expect } from 'vitest';
import { anthropicComplete } from '../../src/wire/dialects/anthropic-complete.ts';
import { anthropicMessages } from '../../src/wire/dialects/anthropic-messages.ts';
import type { UsageSnapshot } from '../../src/wire/facts.ts';
import { endpointOf } from '../../src/wire/registry.ts';
import type { CorpusEntry } from '../helpers/corpus.ts';
import { describeRecordings, isOk, said } from './recorded-answers.ts';

const FINISH = 'finish:';

/** The input is counted without the cache; the reasoning stands in the usage object only. */
function canonical({ usage_raw, expected }: CorpusEntry): UsageSnapshot {
  const { input_tokens, output_tokens, cached_tokens, cache_write_tokens } = expected;
  const raw = (usage_raw ?? {}) as { output_tokens_details?: { thinking_tokens?: number } };
  return said({
    inputTokens: input_tokens === null ? null : input_tokens + (cached_tokens ?? 0) + (cache_write_tokens ?? 0),
    outputTokens: output_tokens,
    cachedInputTokens: cached_tokens,
    cacheWriteInputTokens: cache_write_tokens,
    reasoningTokens: raw.output_tokens_details?.thinking_tokens,
  });
}

describeRecordings({
  dialects: { 'anthropic.messages': anthropicMessages, 'anthropic.complete': anthropicComplete },
  count: 15,
  usage: canonical,
  finishReason(entry) {
    if (!isOk(entry)) return null;
    const usual = entry.format === 'anthropic.complete' ? 'stop_sequence' : 'end_turn';
    return entry.features.find((feature) => feature.startsWith(FINISH))?.slice(FINISH.length) ?? usual;
  },
  more(entry, { log }) {
    const path = entry.path.split('?')[0] ?? '';
    expect(endpointOf(entry.method, path)).toMatchObject({ api: entry.format, generation: true });
    expect(log.of('model').map(({ name }) => name)).toHaveLength(isOk(entry) ? 1 : 0);
    // Where thinking is counted apart in these recordings, its text was kept back.
    const isShown = entry.features.includes('block:thinking') && canonical(entry).reasoningTokens === undefined;
    expect(log.text('reasoning') !== '').toBe(isShown);
    const running = log.of('usage').filter(({ final }) => !final);
    expect(running.every(({ snapshot }) => snapshot.outputTokens === undefined)).toBe(true);
  },
});
