import type { Dialect, FactSink } from '../facts.ts';
import { array, type JsonObject } from '../json.ts';
import { type MessageReader, openMessages } from '../message-answer.ts';
import { ModelName } from '../model-name.ts';
import { say } from './say.ts';

/** `POST /v2/models/{model}/generate` and `…/generate_stream` of Triton (FORMATS §11): text, and nothing but text. */
export const tritonGenerate: Dialect = {
  api: 'triton.generate',
  open: (head, sink, eventBytes) => openMessages(head, new TritonMessages(sink), { sink, eventBytes }),
};

class TritonMessages implements MessageReader {
  readonly #sink: FactSink;
  readonly #name: ModelName;
  #isOurs = false;
  /** No message says that it is the last: the end of the body does. */
  complete = false;

  constructor(sink: FactSink) {
    this.#sink = sink;
    this.#name = new ModelName(sink);
  }

  message(message: JsonObject): void {
    this.#name.read(message['model_name']);
    const text = message['text_output'];
    if (text !== undefined) this.#isOurs = true;
    say(this.#sink, 'content', text);
    for (const part of array(text)) say(this.#sink, 'content', part);
  }

  end(whole: boolean): void {
    this.complete = whole && this.#isOurs;
  }
}
