import { ByShape } from '../by-shape.ts';
import type { Dialect, FactSink } from '../facts.ts';
import { type JsonObject, string } from '../json.ts';
import { openMessages } from '../message-answer.ts';
import { ChatPayload, type PayloadReader } from './chat-payload.ts';
import { LlamacppMessages } from './llamacpp-completion.ts';
import { OpenaiMessages } from './openai-messages.ts';

/** One of them stands in every message of OpenAI's shape. */
const OPENAI_KEYS = ['choices', 'usage', 'object'];

/**
 * `POST …/completions`, streamed and not (FORMATS §2). Its choices are the prompts times `n`. llama.cpp
 * answers in a shape of its own where no version stands before the path.
 */
export const openaiCompletions: Dialect = {
  api: 'openai.completions',
  open(head, sink, eventBytes) {
    const messages = new ByShape((message) => {
      if (OPENAI_KEYS.some((key) => message[key] !== undefined)) {
        return new OpenaiMessages(sink, { payload: new TextPayload(sink), promptsAddUp: true, asked: head.asked });
      }
      const isLlamacpp = typeof message['content'] === 'string' && message['stop'] !== undefined;
      return isLlamacpp ? new LlamacppMessages(sink, head.asked) : null;
    });
    return openMessages(head, messages, { sink, eventBytes, list: 'body' });
  },
};

/** Plain text; some alikes answer such paths in the shape of a chat (Mistral's fill-in-the-middle). */
export class TextPayload implements PayloadReader {
  readonly #sink: FactSink;
  readonly #chat: ChatPayload;

  constructor(sink: FactSink) {
    this.#sink = sink;
    this.#chat = new ChatPayload(sink);
  }

  read(choice: JsonObject, index: number): void {
    const text = string(choice['text']);
    if (text === '') this.#chat.read(choice, index);
    else this.#sink.output(index, 'content', text);
  }
}
