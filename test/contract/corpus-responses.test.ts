import { openaiResponses } from '../../src/wire/dialects/openai-responses.ts';
import type { CorpusEntry } from '../helpers/corpus.ts';
import { describeRecordings, hasFailed, isOk } from './recorded-answers.ts';

describeRecordings({
  dialects: { 'openai.responses': openaiResponses },
  count: 22,
  // A stream that failed ended with its marker all the same: `response.failed`.
  complete: isOk,
  finishReason,
});

function finishReason(entry: CorpusEntry): string | null {
  if (!isOk(entry)) return null;
  if (hasFailed(entry)) return 'failed';
  return entry.features.includes('finish:incomplete') ? 'incomplete:max_output_tokens' : 'completed';
}
