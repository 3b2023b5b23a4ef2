import { ByShape } from '../by-shape.ts';
import type { Dialect, FactSink } from '../facts.ts';
import { type JsonObject, object } from '../json.ts';
import { type MessageReader, openMessages } from '../message-answer.ts';
import { ChatPayload } from './chat-payload.ts';
import { CohereV1 } from './cohere-v1.ts';
import { CohereV2 } from './cohere-v2.ts';
import { OpenaiMessages } from './openai-messages.ts';

/**
 * `POST …/v1/chat` and `…/v2/chat` of Cohere, streamed (server-sent events or lines) and not
 * (FORMATS §12). Writer answers under `/v1/chat` too, in OpenAI's shape.
 */
export const cohereChat: Dialect = {
  api: 'cohere.chat',
  open(head, sink, eventBytes) {
    return openMessages(head, new ByShape((message) => readerOf(message, sink)), { sink, eventBytes });
  },
};

function readerOf(message: JsonObject, sink: FactSink): MessageReader {
  if (message['choices'] !== undefined) {
    return new OpenaiMessages(sink, { payload: new ChatPayload(sink), promptsAddUp: false, api: 'openai.chat' });
  }
  const isV2 = (object(message['message']) ?? object(message['delta'])) !== null;
  return isV2 ? new CohereV2(sink) : new CohereV1(sink);
}
