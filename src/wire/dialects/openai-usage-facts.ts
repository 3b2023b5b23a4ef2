import type { Choices } from '../choices.ts';
import { choiceNumber } from '../choices.ts';
import { CountReader } from '../counts.ts';
import type { FactSink, UsageSnapshot } from '../facts.ts';
import { array, type JsonObject, object, string } from '../json.ts';
import { ChoiceUsage } from './choice-usage.ts';
import type { CountSigns } from './kind-of-counts.ts';
import { readLlamaCounts, readTimings } from './openai-timings.ts';
import { isPlaceholder, readOpenaiUsage } from './openai-usage.ts';

/** Finds usage and server timings wherever OpenAI-alikes put them, and says whose they are and how final. */
export class OpenaiUsageFacts {
  readonly #sink: FactSink;
  readonly #choices: Choices;
  readonly #counts: CountReader;
  readonly #prompts: number;
  /** Null until a choice is counted by itself: most answers have one usage, at their end. */
  #byChoice: ChoiceUsage | null = null;
  /** A `usage` object said something, so llama.cpp's timings are no substitute for it. */
  #hasUsage = false;
  /** One usage covered all choices. */
  #hasTotal = false;

  /** `prompts`: how many of them are answered, each by choices of its own. */
  constructor(sink: FactSink, choices: Choices, prompts: number) {
    this.#sink = sink;
    this.#choices = choices;
    this.#counts = new CountReader(sink);
    this.#prompts = prompts;
  }

  /** The message's choices must have been seen before. */
  read(message: JsonObject, isBody: boolean): void {
    const usage = this.#usageObject(message);
    const timings = object(message['timings']);
    const choices = array(message['choices']);
    let said = usage === null ? null : readOpenaiUsage(usage, this.#counts);
    if (said !== null && !isPlaceholder(said)) this.#hasUsage = true;
    if (timings !== null) said = this.#withTimings(said, timings);
    if (said !== null) this.#say(said, choices, isBody);
    else for (let place = 0; place < choices.length; place += 1) this.#readInsideChoice(choices[place], place);
    // Times come with the counts, or with the reason why it ended (Fireworks): an ordinary chunk has neither.
    if (usage === null && timings === null && message['perf_metrics'] === undefined) return;
    const serverTimings = readTimings(message, usage);
    if (serverTimings !== null) this.#sink.timings(serverTimings);
  }

  /** All choices have ended, which only shows now. */
  conclude(): void {
    if (!this.#hasTotal) this.#byChoice?.conclude();
  }

  /** The answer is over. `promptsAddUp`: each choice may answer a prompt of its own. */
  end(promptsAddUp: boolean): void {
    if (promptsAddUp && !this.#hasTotal && this.#choices.allEnded) this.#byChoice?.addUpPrompts();
  }

  /** Groq's own field first: its plain usage has been seen with a zero prompt beside the true one. */
  #usageObject(message: JsonObject): JsonObject | null {
    const groq = object(message['x_groq']);
    const own = groq === null ? null : object(groq['usage']);
    if (own !== null) return own;
    const usage = message['usage'];
    if (usage === undefined || usage === null) return null;
    const plain = object(usage);
    if (plain === null) this.#counts.bad();
    return plain;
  }

  /** llama.cpp alone knows what came from its cache; without usage its timings are the count. */
  #withTimings(said: UsageSnapshot | null, timings: JsonObject): UsageSnapshot | null {
    const counted = readLlamaCounts(timings, this.#counts);
    if (said === null) return this.#hasUsage ? null : counted;
    if (said.cachedInputTokens === undefined && counted.cachedInputTokens !== undefined) {
      said.cachedInputTokens = counted.cachedInputTokens;
    }
    return said;
  }

  #say(said: UsageSnapshot, choices: readonly unknown[], isBody: boolean): void {
    const ownMessage = isBody || choices.length === 0;
    if (isPlaceholder(said)) return;
    const only = choices.length === 1 ? object(choices[0]) : null;
    if (only !== null && !isBody) {
      this.#ofChoice(choiceNumber(only['index'], 0), said, signsOf(only));
      return;
    }
    this.#hasTotal = true;
    this.#sink.usage(said, ownMessage || this.#choices.allEnded);
  }

  #ofChoice(choice: number, said: UsageSnapshot, signs: CountSigns): void {
    this.#byChoice ??= new ChoiceUsage(this.#sink, this.#choices, { addsUp: this.#prompts > 1 });
    this.#byChoice.add(choice, said, signs);
  }

  /** Moonshot puts usage into the choice (FAULTS B15). */
  #readInsideChoice(value: unknown, place: number): void {
    const choice = object(value);
    const usage = choice === null ? null : object(choice['usage']);
    const said = usage === null ? null : readOpenaiUsage(usage, this.#counts);
    if (choice === null || said === null || isPlaceholder(said)) return;
    this.#hasUsage = true;
    this.#ofChoice(choiceNumber(choice['index'], place), said, { isOwn: true });
  }
}

/** Engines that count every choice by itself are known by what they add to its end: vLLM, SGLang. */
function signsOf(choice: JsonObject): CountSigns {
  return {
    isOwn: choice['stop_reason'] !== undefined || choice['matched_stop'] !== undefined,
    hasText: string(object(choice['delta'])?.['content']) !== '' || string(choice['text']) !== '',
    isFull: choice['finish_reason'] === 'length',
  };
}
