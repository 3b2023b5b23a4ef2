import { ByShape } from '../by-shape.ts';
import type { Dialect, FactSink } from '../facts.ts';
import { array, type JsonObject, object } from '../json.ts';
import { type MessageReader, openMessages } from '../message-answer.ts';
import { ChatPayload } from './chat-payload.ts';
import { TextPayload } from './openai-completions.ts';
import { OpenaiMessages } from './openai-messages.ts';
import { nativeReader } from './text-generation.ts';

/** `POST …/invocations`: where SageMaker and Databricks put whatever the server behind them speaks (FORMATS §10, §12). */
export const invocations: Dialect = {
  api: 'openai.chat',
  open(head, sink, eventBytes) {
    const messages = new ByShape((message) => nativeReader(message, head, sink) ?? openaiReader(message, sink));
    return openMessages(head, messages, { sink, eventBytes, list: 'body' });
  },
};

function openaiReader(message: JsonObject, sink: FactSink): MessageReader | null {
  const choices = array(message['choices']);
  if (choices.length === 0) return null;
  if (object(choices[0])?.['text'] === undefined) {
    return new OpenaiMessages(sink, { payload: new ChatPayload(sink), promptsAddUp: false });
  }
  return new OpenaiMessages(sink, { payload: new TextPayload(sink), promptsAddUp: true, api: 'openai.completions' });
}
