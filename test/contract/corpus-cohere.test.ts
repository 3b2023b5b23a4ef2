import { describe, expect, it } from 'vitest';
import { cohereChat } from '../../src/wire/dialects/cohere-chat.ts';
import { openaiChat } from '../../src/wire/dialects/openai-chat.ts';
import { endpointOf } from '../../src/wire/registry.ts';
import { corpusBody, corpusEntries } from '../helpers/corpus.ts';
import { readAnswer } from '../helpers/fact-log.ts';
import { describeRecordings } from './recorded-answers.ts';

describeRecordings({
  dialects: { 'cohere.v1': cohereChat, 'cohere.v2': cohereChat },
  count: 8,
  finishReason: ({ features }) => (features.includes('tool_calls') ? 'TOOL_CALL' : 'COMPLETE'),
  characters: ({ file, output_text_chars }) => (file.includes('063-') ? 131 : output_text_chars),
  more(entry, { log }) {
    expect(endpointOf(entry.method, entry.path)).toMatchObject({ api: 'cohere.chat', generation: true });
    if (entry.features.includes('reasoning')) expect(log.text('reasoning')).not.toBe('');
  },
});

const ofWriter = (corpusEntries(['openai.chat']) ?? []).filter(({ api }) => api === 'writer.chat');

describe.skipIf(ofWriter.length === 0)('an answer of Writer, under the path of Cohere’s old API', () => {
  it.each(ofWriter)('is read as what it is: $file', (entry) => {
    const { dialect } = endpointOf(entry.method, entry.path);
    const bytes = [corpusBody(entry)];
    expect(dialect).toBe(cohereChat);
    expect(readAnswer(cohereChat, bytes)).toEqual(readAnswer(openaiChat, bytes));
  });
});
