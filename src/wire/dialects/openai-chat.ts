import type { Dialect } from '../facts.ts';
import { openMessages } from '../message-answer.ts';
import { Repeats } from '../repeats.ts';
import { ChatPayload } from './chat-payload.ts';
import { OpenaiMessages } from './openai-messages.ts';

/** `POST …/chat/completions`, streamed and not (FORMATS §2, §8, §12). */
export const openaiChat: Dialect = {
  api: 'openai.chat',
  open(head, sink, eventBytes) {
    const repeats = new Repeats(sink, eventBytes);
    const payload = new ChatPayload(repeats);
    const messages = new OpenaiMessages(repeats, { payload, promptsAddUp: false, asked: head.asked });
    return openMessages(head, messages, { sink: repeats, eventBytes, repeats });
  },
};
