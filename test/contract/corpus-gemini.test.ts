import { geminiGenerate } from '../../src/wire/dialects/gemini-generate.ts';
import { geminiInteractions } from '../../src/wire/dialects/gemini-interactions.ts';
import type { UsageSnapshot } from '../../src/wire/facts.ts';
import type { CorpusEntry } from '../helpers/corpus.ts';
import { canonicalUsage, describeRecordings, isOk, said } from './recorded-answers.ts';

describeRecordings({
  dialects: { 'gemini.generate': geminiGenerate, 'gemini.interactions': geminiInteractions },
  count: 15,
  usage,
  finishReason,
  // The index counts no text of interactions; both recordings say the same.
  characters: (entry) =>
    entry.format === 'gemini.interactions' ? 'The image displays'.length : entry.output_text_chars,
});

function usage(entry: CorpusEntry): UsageSnapshot {
  // The index knows no usage without a prompt count; the recording holds the two others, which Gemini does say.
  if (entry.file.startsWith('streams/082-')) return { outputTokens: 23 + 67, reasoningTokens: 67 };
  const tools = ((entry.usage_raw ?? {}) as { toolUsePromptTokenCount?: number }).toolUsePromptTokenCount ?? 0;
  const { input_tokens, output_tokens, reasoning_tokens } = entry.expected;
  if (input_tokens === null) return canonicalUsage(entry);
  return said({
    ...canonicalUsage(entry),
    inputTokens: input_tokens + tools,
    outputTokens: (output_tokens ?? 0) + (reasoning_tokens ?? 0),
  });
}

function finishReason(entry: CorpusEntry): string | null {
  if (!isOk(entry)) return null;
  // Both interactions were cut by their limit.
  return entry.format === 'gemini.interactions' ? 'incomplete' : 'STOP';
}
