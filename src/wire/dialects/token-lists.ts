import { type Choices, choiceNumber } from '../choices.ts';
import type { FactSink } from '../facts.ts';
import { array, type JsonObject, object } from '../json.ts';
import { ChoiceUsage } from './choice-usage.ts';

/** Lists of what stands for a token each, in the log probabilities of a chat (DeepSeek has the third). */
const CHAT_LISTS = ['content', 'refusal', 'reasoning_content'] as const;

/**
 * Counts tokens by the lists that stand beside the text where the client asked for them: `token_ids` (vLLM,
 * SGLang, Fireworks), else log probabilities. What no usage says, they do.
 */
export class TokenLists {
  readonly #sink: FactSink;
  readonly #choices: Choices;
  /** Null until something is listed: most clients do not ask for lists, and each answer under way has one of these. */
  #usage: ChoiceUsage | null = null;
  #tokens: Map<number, number> | null = null;
  /** Tokens of the prompt, by each choice that lists them, or of the whole answer. */
  #prompts: Map<number | 'answer', number> | null = null;

  constructor(sink: FactSink, choices: Choices) {
    this.#sink = sink;
    this.#choices = choices;
  }

  /** The message's choices must have been seen before. Said is only what all of them list. */
  read(message: JsonObject, choices: readonly unknown[]): void {
    this.#readPrompt('answer', message);
    for (let place = 0; place < choices.length; place += 1) {
      const choice = object(choices[place]);
      if (choice === null) return;
      this.#readPrompt(choiceNumber(choice['index'], place), choice);
      if (listed(choice) === null) return;
    }
    for (let place = 0; place < choices.length; place += 1) this.#add(object(choices[place]) ?? {}, place);
  }

  /** The choices of one answer may share their prompt or not, so only one list tells the input. */
  end(): void {
    this.#usage?.conclude();
    const prompt = this.#prompts?.size === 1 ? [...this.#prompts.values()][0] : undefined;
    if (prompt !== undefined) this.#sink.usage({ inputTokens: prompt }, this.#choices.allEnded, 'lists');
  }

  #readPrompt(of: number | 'answer', holder: JsonObject): void {
    const ids = holder['prompt_token_ids'];
    if (!Array.isArray(ids)) return;
    this.#prompts ??= new Map();
    this.#prompts.set(of, ids.length);
  }

  #add(choice: JsonObject, place: number): void {
    const index = choiceNumber(choice['index'], place);
    this.#tokens ??= new Map();
    const tokens = (this.#tokens.get(index) ?? 0) + (listed(choice) ?? 0);
    this.#tokens.set(index, tokens);
    this.#usage ??= new ChoiceUsage(this.#sink, this.#choices, { origin: 'lists' });
    this.#usage.add(index, { outputTokens: tokens });
  }
}

/** How many tokens the choice lists; null where it has no list. */
function listed(choice: JsonObject): number | null {
  const ids = choice['token_ids'];
  if (Array.isArray(ids)) return ids.length;
  const logprobs = choice['logprobs'];
  // Most choices have none.
  if (typeof logprobs !== 'object' || logprobs === null) return null;
  const lists = object(logprobs) ?? {};
  if (Array.isArray(lists['tokens'])) return lists['tokens'].length;
  if (!CHAT_LISTS.some((name) => Array.isArray(lists[name]))) return null;
  return CHAT_LISTS.reduce((tokens, name) => tokens + array(lists[name]).length, 0);
}
