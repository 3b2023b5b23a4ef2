import { expect } from 'vitest';
import { openaiChat } from '../../src/wire/dialects/openai-chat.ts';
import { openaiCompletions } from '../../src/wire/dialects/openai-completions.ts';
import { describeRecordings } from './recorded-answers.ts';

describeRecordings({
  dialects: { 'openai.chat': openaiChat, 'openai.completions': openaiCompletions },
  count: 89,
  more(entry, { log }) {
    const hasTools = entry.features.some((feature) => ['tool_calls', 'function_call_legacy'].includes(feature));
    expect(log.text('tool') !== '').toBe(hasTools);
  },
});
