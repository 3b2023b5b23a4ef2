import { ByShape } from '../by-shape.ts';
import type { AnswerHead, Api, Dialect, FactSink } from '../facts.ts';
import { array, type JsonObject, object, string } from '../json.ts';
import { type MessageReader, openMessages } from '../message-answer.ts';
import { AnthropicMessages } from './anthropic-messages.ts';
import { ChatPayload } from './chat-payload.ts';
import { EmbeddingMessages } from './embeddings.ts';
import { TextPayload } from './openai-completions.ts';
import { OpenaiMessages } from './openai-messages.ts';
import { ResponsesMessages } from './openai-responses.ts';
import { nativeReader } from './text-generation.ts';
import { UnknownApi } from './unknown-api.ts';

/**
 * `POST …/invocations`: where SageMaker and Databricks put whatever the server behind them speaks, and
 * Vertex's `:rawPredict` and `:streamRawPredict`, which pass on what a partner's model does (FORMATS §10, §12).
 * The path says of them at most whose they should be, the shape whose they are.
 */
export const invocations: Dialect = passedOn('openai.chat');

/** The same where the path names Anthropic. */
export const anthropicRawPredict: Dialect = passedOn('anthropic.messages');

function passedOn(api: Api): Dialect {
  return {
    api,
    open(head, sink, eventBytes) {
      const messages = new ByShape(
        (message) => readerOf(message, head, sink),
        () => new UnknownApi(),
      );
      return openMessages(head, messages, { sink, eventBytes, list: 'body' });
    },
  };
}

/** Null as long as the message tells nothing: a ping, say, or Azure's chunk without a choice. */
function readerOf(message: JsonObject, head: AnswerHead, sink: FactSink): MessageReader | null {
  if (message['choices'] !== undefined) return openaiReader(message, head, sink);
  const type = string(message['type']);
  if (/^(?:message|content_block)(?:_|$)/.test(type)) return new AnthropicMessages(sink);
  if (type.startsWith('response.') || message['object'] === 'response') return new ResponsesMessages(sink);
  return Array.isArray(message['data']) ? new EmbeddingMessages(sink) : nativeReader(message, head, sink);
}

function openaiReader(message: JsonObject, { asked }: AnswerHead, sink: FactSink): MessageReader | null {
  const choices = array(message['choices']);
  if (choices.length === 0) return null;
  if (object(choices[0])?.['text'] === undefined) {
    return new OpenaiMessages(sink, { payload: new ChatPayload(sink), promptsAddUp: false, asked, api: 'openai.chat' });
  }
  return new OpenaiMessages(sink, {
    payload: new TextPayload(sink),
    promptsAddUp: true,
    asked,
    api: 'openai.completions',
  });
}
