import { ByShape } from '../by-shape.ts';
import type { CountReader } from '../counts.ts';
import type { Dialect, FactSink, UsageSnapshot } from '../facts.ts';
import { array, type JsonObject, object, string } from '../json.ts';
import { type MessageReader, openMessages } from '../message-answer.ts';
import { ModelName } from '../model-name.ts';
import { ChatPayload } from './chat-payload.ts';
import { OpenaiMessages } from './openai-messages.ts';
import { TextMessages, type TextShape, textUsage } from './text-messages.ts';

const GENERATION: TextShape = {
  choices: (message) => array(message['results']).slice(0, 1),
  text: 'generated_text',
  reason: 'stop_reason',
  unfinished: 'not_finished',
  usage: generationUsage,
};

/** IBM watsonx.ai: `…/text/generation`, which answers in a shape of its own, and `…/text/chat` in OpenAI's. */
export const watsonx: Dialect = {
  api: 'watsonx',
  open(head, sink, eventBytes) {
    return openMessages(head, new WatsonxMessages(sink), { sink, eventBytes });
  },
};

class WatsonxMessages implements MessageReader {
  readonly #sink: FactSink;
  readonly #name: ModelName;
  readonly #messages: ByShape;

  constructor(sink: FactSink) {
    this.#sink = sink;
    this.#name = new ModelName(sink);
    const chat = () => new OpenaiMessages(sink, { payload: new ChatPayload(sink), promptsAddUp: false });
    this.#messages = new ByShape((message) => {
      if (message['results'] !== undefined) return new TextMessages(GENERATION, sink);
      return message['choices'] === undefined ? null : chat();
    });
  }

  get complete(): boolean {
    return this.#messages.complete;
  }

  message(message: JsonObject, isBody: boolean): void {
    if (array(message['errors']).length > 0) this.#sink.failed();
    // Some answers of the chat carry `model` as well, which its reader takes.
    if (string(message['model']) === '') this.#name.read(message['model_id']);
    this.#messages.message(message, isBody);
  }

  end(whole: boolean): void {
    this.#messages.end(whole);
  }
}

/** Every event says the output so far; only the first one the input, the later ones 0. */
function generationUsage(message: JsonObject, counts: CountReader): UsageSnapshot {
  const result = object(array(message['results'])[0]);
  if (result === null) return {};
  return textUsage(result, counts, { input: 'input_token_count', output: 'generated_token_count' });
}
