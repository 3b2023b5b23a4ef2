import { expect } from 'vitest';
import { ollamaChat, ollamaGenerate } from '../../src/wire/dialects/ollama.ts';
import { describeRecordings } from './recorded-answers.ts';

describeRecordings({
  dialects: { 'ollama.chat': ollamaChat, 'ollama.generate': ollamaGenerate },
  count: 5,
  finishReason: () => 'stop',
  more(entry, { log }) {
    const ns = entry.usage_raw as Record<string, number>;
    const ms = (key: string) => (ns[key] ?? Number.NaN) / 1e6;
    expect(log.of('timings').map((fact) => fact.timings)).toEqual([
      {
        queue_ms: ms('load_duration'),
        prefill_ms: ms('prompt_eval_duration'),
        decode_ms: ms('eval_duration'),
        total_ms: ms('total_duration'),
      },
    ]);
  },
});
