import { CountReader } from '../counts.ts';
import type { Dialect, FactSink } from '../facts.ts';
import { array, type JsonObject, object, string } from '../json.ts';
import { type MessageReader, openMessages } from '../message-answer.ts';
import { ModelName } from '../model-name.ts';
import { readOllamaCounts, readOllamaTimings } from './ollama-final.ts';
import { say, sayCall } from './say.ts';

/** `POST /api/chat`, a message a line or one body (FORMATS §6). */
export const ollamaChat: Dialect = {
  api: 'ollama.chat',
  open: (head, sink, eventBytes) => openMessages(head, new OllamaMessages(sink), { sink, eventBytes, isLine }),
};

/** `POST /api/generate`, likewise. */
export const ollamaGenerate: Dialect = { ...ollamaChat, api: 'ollama.generate' };

/** A body is done. */
const isLine = (message: JsonObject): boolean => message['done'] === false;

class OllamaMessages implements MessageReader {
  readonly #sink: FactSink;
  readonly #counts: CountReader;
  readonly #name: ModelName;
  #isDone = false;
  /** Tokens in the lists of log probabilities so far. */
  #listed = 0;

  constructor(sink: FactSink) {
    this.#sink = sink;
    this.#counts = new CountReader(sink);
    this.#name = new ModelName(sink);
  }

  get complete(): boolean {
    return this.#isDone;
  }

  message(message: JsonObject): void {
    this.#name.read(message['model']);
    say(this.#sink, 'reasoning', message['thinking']);
    say(this.#sink, 'content', message['response']);
    this.#readChat(object(message['message']));
    this.#readList(message['logprobs'], message['done'] === true);
    if (message['done'] === true) this.#readFinal(message);
  }

  end(): void {}

  #readChat(chat: JsonObject | null): void {
    if (chat === null) return;
    say(this.#sink, 'reasoning', chat['thinking']);
    say(this.#sink, 'content', chat['content']);
    for (const tool of array(chat['tool_calls'])) {
      const call = object(object(tool)?.['function']);
      if (call !== null) sayCall(this.#sink, call['name'], call['arguments']);
    }
  }

  /** One for each token, where they were asked for: what counts a stream that is cut. */
  #readList(logprobs: unknown, final: boolean): void {
    this.#listed += array(logprobs).length;
    if (this.#listed > 0) this.#sink.usage({ outputTokens: this.#listed }, final, 'lists');
  }

  /** `done_reason: "load"` ends an answer to nothing: the model was only loaded, and there are no counts (FAULTS B32). */
  #readFinal(final: JsonObject): void {
    const reason = string(final['done_reason']);
    if (reason !== '' && !this.#isDone) this.#sink.choiceEnded(0, reason);
    this.#isDone = true;
    const said = readOllamaCounts(final, this.#counts);
    if (said !== null) this.#sink.usage(said, true);
    const timings = readOllamaTimings(final);
    if (timings !== null) this.#sink.timings(timings);
  }
}
