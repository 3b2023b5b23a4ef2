import { Choices, choiceNumber } from '../choices.ts';
import { CountReader } from '../counts.ts';
import type { AskedFor, Dialect, FactSink } from '../facts.ts';
import { type JsonObject, object, string } from '../json.ts';
import { type MessageReader, openMessages } from '../message-answer.ts';
import { ModelName } from '../model-name.ts';
import { usageOf } from '../snapshot.ts';
import { ChoiceUsage } from './choice-usage.ts';
import { readTimings } from './openai-timings.ts';

/** `POST /completion` and `/infill` of llama.cpp (FORMATS §7). Several prompts are answered by a list. */
export const llamacppCompletion: Dialect = {
  api: 'llamacpp.completion',
  open(head, sink, eventBytes) {
    return openMessages(head, new LlamacppMessages(sink, head.asked), { sink, eventBytes, list: 'body' });
  },
};

/** Names of the flags that said in old versions why a completion stopped. */
const OLD_REASONS = { stopped_eos: 'eos', stopped_limit: 'limit', stopped_word: 'word' } as const;

export class LlamacppMessages implements MessageReader {
  readonly api = 'llamacpp.completion';
  readonly #sink: FactSink;
  readonly #counts: CountReader;
  readonly #name: ModelName;
  readonly #choices: Choices;
  readonly #usage: ChoiceUsage;

  constructor(sink: FactSink, asked?: AskedFor) {
    this.#sink = sink;
    this.#choices = new Choices(asked?.prompts);
    this.#counts = new CountReader(sink);
    this.#name = new ModelName(sink);
    this.#usage = new ChoiceUsage(sink, this.#choices, { ownPrompts: true });
  }

  get complete(): boolean {
    return this.#choices.allEnded;
  }

  message(message: JsonObject): void {
    const text = message['content'];
    if (typeof text !== 'string') return;
    this.#name.read(message['model']);
    const index = choiceNumber(message['index'], 0);
    this.#choices.see(index);
    if (text !== '') this.#sink.output(index, 'content', text);
    if (message['stop'] === true && this.#choices.end(index)) this.#sink.choiceEnded(index, reasonOf(message));
    this.#readUsage(message, index);
  }

  end(): void {}

  /**
   * `tokens_evaluated` is the whole prompt. What of it came from the cache only `timings` says;
   * `tokens_cached` is what the cache holds at the end, the output included.
   */
  #readUsage(message: JsonObject, index: number): void {
    const timings = object(message['timings']);
    const said = usageOf({
      inputTokens: this.#counts.read(message['tokens_evaluated']),
      cachedInputTokens: this.#counts.read(timings?.['cache_n']),
      outputTokens: this.#counts.read(message['tokens_predicted']),
    });
    if (said !== null) this.#usage.add(index, said);
    const serverTimings = readTimings(message, null);
    if (serverTimings !== null) this.#sink.timings(serverTimings);
  }
}

function reasonOf(message: JsonObject): string {
  const flag = Object.entries(OLD_REASONS).find(([name]) => message[name] === true);
  return string(message['stop_type']) || (flag?.[1] ?? 'stop');
}
