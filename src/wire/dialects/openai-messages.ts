import { Choices, choiceNumber } from '../choices.ts';
import type { Api, AskedFor, FactSink } from '../facts.ts';
import { array, type JsonObject, object, string } from '../json.ts';
import { carriesError, type MessageReader } from '../message-answer.ts';
import { ModelName } from '../model-name.ts';
import type { PayloadReader } from './chat-payload.ts';
import { OpenaiUsageFacts } from './openai-usage-facts.ts';
import { TokenLists } from './token-lists.ts';

/** What differs between the two APIs. */
interface OpenaiShape {
  readonly payload: PayloadReader;
  /** Each choice may answer a prompt of its own, so that one usage per choice adds up (TGI). */
  readonly promptsAddUp: boolean;
  /** What the request asked for, where that is known. */
  readonly asked?: AskedFor | undefined;
  /** Whose answer it is, where the path does not say so. */
  readonly api?: Api;
}

/** Chunks and bodies of `chat/completions` and `completions`, as OpenAI and the many alikes send them. */
export class OpenaiMessages implements MessageReader {
  readonly #sink: FactSink;
  readonly #shape: OpenaiShape;
  readonly #choices: Choices;
  readonly #usage: OpenaiUsageFacts;
  readonly #lists: TokenLists;
  readonly #name: ModelName;

  constructor(sink: FactSink, shape: OpenaiShape) {
    this.#sink = sink;
    this.#shape = shape;
    const { choices = 1, prompts = 1 } = shape.asked ?? {};
    const answered = shape.promptsAddUp ? prompts : 1;
    this.#choices = new Choices(choices * answered);
    this.#usage = new OpenaiUsageFacts(sink, this.#choices, answered);
    this.#lists = new TokenLists(sink, this.#choices);
    this.#name = new ModelName(sink);
  }

  get api(): Api | null {
    return this.#shape.api ?? null;
  }

  /** `[DONE]` may be missing; a finish reason for every choice says as much. */
  get complete(): boolean {
    return this.#choices.allEnded;
  }

  message(message: JsonObject, isBody: boolean): void {
    this.#name.read(message['model']);
    const choices = array(message['choices']);
    for (let place = 0; place < choices.length; place += 1) {
      const choice = object(choices[place]);
      if (choice !== null) this.#readChoice(choice, choiceNumber(choice['index'], place));
    }
    this.#usage.read(message, isBody);
    this.#lists.read(message, choices);
    // The last is vLLM's of old, which has no member `error`.
    if (carriesError(object(message['x_groq'])) || message['object'] === 'error') this.#sink.failed();
  }

  done(): void {
    if (this.#choices.expectNoMore()) this.#usage.conclude();
  }

  end(): void {
    this.#usage.end(this.#shape.promptsAddUp);
    this.#lists.end();
  }

  #readChoice(choice: JsonObject, index: number): void {
    this.#choices.see(index);
    this.#shape.payload.read(choice, index);
    if (carriesError(choice)) this.#sink.failed(); // OpenRouter
    const reason = string(choice['finish_reason']) || string(choice['stop_reason']); // so on Bedrock (Mistral)
    if (reason === '' || !this.#choices.end(index)) return;
    this.#sink.choiceEnded(index, reason);
    if (reason === 'error') this.#sink.failed();
  }
}
