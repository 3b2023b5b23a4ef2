import { openaiEmbeddings } from '../../src/wire/dialects/embeddings.ts';
import { openaiAssistants } from '../../src/wire/dialects/openai-assistants.ts';
import { describeRecordings, isOk } from './recorded-answers.ts';

describeRecordings({
  dialects: { 'openai.assistants': openaiAssistants, 'openai.embeddings': openaiEmbeddings },
  count: 9,
  finishReason: (entry) => (isOk(entry) && entry.format === 'openai.assistants' ? 'completed' : null),
});
