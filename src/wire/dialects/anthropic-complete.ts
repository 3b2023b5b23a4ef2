import type { Dialect } from '../facts.ts';
import { openMessages } from '../message-answer.ts';
import { onlyChoice, TextMessages, type TextShape } from './text-messages.ts';

export const ANTHROPIC_COMPLETE: TextShape = { choices: onlyChoice, text: 'completion', reason: 'stop_reason' };

/** `POST …/v1/complete`, Anthropic's old API of plain text, streamed and not. It reports no usage. */
export const anthropicComplete: Dialect = {
  api: 'anthropic.complete',
  open(head, sink, eventBytes) {
    return openMessages(head, new TextMessages(ANTHROPIC_COMPLETE, sink), { sink, eventBytes });
  },
};
