import { ByShape } from '../by-shape.ts';
import type { Dialect, FactSink } from '../facts.ts';
import { type JsonObject, object, string } from '../json.ts';
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
    return openMessages(head, new ByShape((message) => readerOf(message, sink)), { sink, eventBytes, isLine });
  },
};

/** An event of the old API; a body has no such member. */
const isLine = (message: JsonObject): boolean => typeof message['event_type'] === 'string';

/** Events of the new API, by how their `type` begins; a `ping` tells nothing. */
const V2_EVENTS = /^(?:message|content|tool|citation)-/;
/** What only bodies of the old API have at their top. */
const V1_KEYS = ['text', 'response_id', 'generation_id', 'chat_history'];

/** Null as long as the message could be of either version. */
function readerOf(message: JsonObject, sink: FactSink): MessageReader | null {
  if (message['choices'] !== undefined) {
    return new OpenaiMessages(sink, { payload: new ChatPayload(sink), promptsAddUp: false, api: 'openai.chat' });
  }
  if (typeof message['event_type'] === 'string') return new CohereV1(sink);
  const isV2 = V2_EVENTS.test(string(message['type'])) || object(message['message']) !== null;
  if (isV2) return new CohereV2(sink);
  return V1_KEYS.some((key) => message[key] !== undefined) ? new CohereV1(sink) : null;
}
