import { expect } from 'vitest';
import { bedrockConverse } from '../../src/wire/dialects/bedrock-converse.ts';
import { bedrockInvoke } from '../../src/wire/dialects/bedrock-invoke.ts';
import type { UsageSnapshot } from '../../src/wire/facts.ts';
import { endpointOf } from '../../src/wire/registry.ts';
import type { CorpusEntry } from '../helpers/corpus.ts';
import { describeRecordings, isOk, said } from './recorded-answers.ts';

const FINISH = 'finish:';
/** The reasons of vendors other than Anthropic, by the number of the recording; a blocked prompt has none. */
const VENDORS_REASON: Readonly<Record<string, string | null>> = {
  '050': 'LENGTH',
  '051': null,
  '053': 'FINISH',
  '059': 'length',
};

/** The input is counted without the cache, and the total with it. */
function canonical({ expected }: CorpusEntry): UsageSnapshot {
  const { input_tokens, output_tokens, total_tokens, cached_tokens, cache_write_tokens } = expected;
  const input = input_tokens === null ? null : input_tokens + (cached_tokens ?? 0) + (cache_write_tokens ?? 0);
  if (typeof total_tokens === 'number') expect((input ?? 0) + (output_tokens ?? 0)).toBe(total_tokens);
  return said({
    inputTokens: input,
    outputTokens: output_tokens,
    cachedInputTokens: cached_tokens,
    cacheWriteInputTokens: cache_write_tokens,
    reasoningTokens: null,
  });
}

describeRecordings({
  dialects: { 'bedrock.converse': bedrockConverse, 'bedrock.invoke': bedrockInvoke },
  count: 14,
  usage: canonical,
  finishReason(entry) {
    if (!isOk(entry)) return null;
    const vendors = VENDORS_REASON[entry.file.slice('streams/'.length).slice(0, 3)];
    if (vendors !== undefined) return vendors;
    return entry.features.find((feature) => feature.startsWith(FINISH))?.slice(FINISH.length) ?? 'end_turn';
  },
  characters: ({ file, output_text_chars }) => (file.includes('059-') ? 78 : output_text_chars), // AI21
  more(entry, { log }) {
    const model = decodeURIComponent(entry.path.split('/')[2] ?? '');
    expect(endpointOf(entry.method, entry.path)).toMatchObject({ api: entry.format, modelFromPath: model });
    const hasTimings = entry.framing === 'eventstream' && entry.expected.has_usage;
    expect(log.of('timings')).toHaveLength(hasTimings ? 1 : 0);
  },
});
