import { Choices, choiceNumber } from '../choices.ts';
import { CountReader, saysCounts, snapshotOf } from '../counts.ts';
import type { FactSink, UsageSnapshot } from '../facts.ts';
import { type JsonObject, object, string } from '../json.ts';
import type { MessageReader } from '../message-answer.ts';
import { ModelName } from '../model-name.ts';

/** Where an API that answers with plain text puts what it says. */
export interface TextShape {
  /** The objects that hold the text of one choice each. */
  choices(message: JsonObject): readonly unknown[];
  /** The keys of their text and of their stop reason. */
  readonly text: string;
  readonly reason: string;
  /** What stands for a stop reason as long as there is none. */
  readonly unfinished?: string;
  readonly usage?: (message: JsonObject, counts: CountReader) => UsageSnapshot;
}

/** The message itself is the one choice. */
export const onlyChoice = (message: JsonObject): readonly unknown[] => [message];

/** Reads an API of plain text, streamed or not, by its shape. */
export class TextMessages implements MessageReader {
  readonly #shape: TextShape;
  readonly #sink: FactSink;
  readonly #counts: CountReader;
  readonly #name: ModelName;
  readonly #choices = new Choices();

  constructor(shape: TextShape, sink: FactSink) {
    this.#shape = shape;
    this.#sink = sink;
    this.#counts = new CountReader(sink);
    this.#name = new ModelName(sink);
  }

  get complete(): boolean {
    return this.#choices.allEnded;
  }

  message(message: JsonObject, isBody: boolean): void {
    this.#name.read(message['model']);
    const choices = this.#shape.choices(message);
    for (let place = 0; place < choices.length; place += 1) {
      this.#readChoice(object(choices[place]), choiceNumber(undefined, place));
    }
    const usage = this.#shape.usage?.(message, this.#counts) ?? {};
    if (saysCounts(usage)) this.#sink.usage(usage, isBody || this.#choices.allEnded);
  }

  end(): void {}

  #readChoice(choice: JsonObject | null, index: number): void {
    const { text: textKey, reason: reasonKey, unfinished } = this.#shape;
    const text = choice?.[textKey];
    if (choice === null || typeof text !== 'string') return; // a ping, say
    this.#choices.see(index);
    if (text !== '') this.#sink.output(index, 'content', text);
    const reason = string(choice[reasonKey]);
    if (reason !== '' && reason !== unfinished && this.#choices.end(index)) this.#sink.choiceEnded(index, reason);
  }
}

/** The counts under these keys, as far as they are said. */
export function textUsage(
  holder: JsonObject,
  counts: CountReader,
  keys: { input: string; output: string },
): UsageSnapshot {
  return snapshotOf({ inputTokens: counts.read(holder[keys.input]), outputTokens: counts.read(holder[keys.output]) });
}
