import type { Clock } from '../clock.ts';
import { chatOverhead } from './chat-overhead.ts';
import type { ModelEncoding } from './encoding.ts';
import { pieces } from './pieces.ts';
import type { CountRequest, CountResult, Exactness, InputText, OutputCount, OutputText } from './protocol.ts';
import { readInput } from './read-input.ts';
import { toolOverhead } from './tool-text.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Base64, at times beside its transcript. */
const AUDIO = 'audio';

/** The budget of a request has ended. Never leaves this file. */
class BudgetEnded extends Error {}

export interface Means {
  encoding: ModelEncoding;
  vocabulary: Vocabulary;
  budgetMs: number;
  clock: Clock;
}

/**
 * Counts a request, the output first, since it is what throughput is made of. Null when the budget
 * ended before the output was counted.
 */
export function countText(request: CountRequest, means: Means): CountResult | null {
  const { encoding } = means;
  const counter = new BudgetedCounter(means);
  const outputs = withinBudget(() => countOutputs(request.output, counter));
  if (outputs === null) return null;
  const input = request.input !== null && 'json' in request.input ? readInput(request.input) : request.input;
  return {
    outputTokens: outputs.length === 0 ? null : outputs.reduce((sum, output) => sum + output.tokens, 0),
    outputExactness: outputExactness(request.output, encoding),
    outputs,
    inputTokens: input === null ? null : withinBudget(() => countInput(input, counter, encoding)),
    inputExactness: input === null ? 'rough' : inputExactness(input, encoding),
  };
}

/** Counts until its time is over, which it looks at before every piece. */
class BudgetedCounter {
  readonly #vocabulary: Vocabulary;
  readonly #clock: Clock;
  readonly #endMs: number;

  constructor({ vocabulary, clock, budgetMs }: Means) {
    this.#vocabulary = vocabulary;
    this.#clock = clock;
    this.#endMs = clock.nowMs() + budgetMs;
  }

  tokens(text: string): number {
    let tokens = 0;
    for (const piece of pieces(text)) {
      if (this.#clock.nowMs() >= this.#endMs) throw new BudgetEnded();
      tokens += this.#vocabulary.count(piece);
    }
    return tokens;
  }
}

function withinBudget<T>(count: () => T): T | null {
  try {
    return count();
  } catch (error) {
    if (error instanceof BudgetEnded) return null;
    throw error;
  }
}

function countOutputs(parts: readonly OutputText[], counter: BudgetedCounter): OutputCount[] {
  const joined = new Map<string, OutputText>();
  for (const { choice, channel, text } of parts) {
    if (channel === AUDIO) continue;
    const key = `${choice} ${channel}`;
    joined.set(key, { choice, channel, text: (joined.get(key)?.text ?? '') + text });
  }
  return [...joined.values()].map(({ choice, channel, text }) => ({ choice, channel, tokens: counter.tokens(text) }));
}

function countInput(input: InputText, counter: BudgetedCounter, encoding: ModelEncoding): number {
  let tokens =
    input.tokens + chatOverhead(input.messages, encoding.isHarmony) + toolOverhead(input.tools, encoding.name);
  for (const { role, name, texts } of input.messages) {
    tokens += counter.tokens(role) + counter.tokens(name ?? '');
    for (const text of texts) tokens += counter.tokens(text);
  }
  const ofTools = input.tools.flatMap((tool) => tool.texts);
  for (const text of [...input.prompts, ...ofTools, ...input.extras]) tokens += counter.tokens(text);
  return tokens;
}

/** A harmony model writes more than it shows: its channels' marks, and reasoning that may stay hidden. */
function outputExactness(outputs: readonly OutputText[], encoding: ModelEncoding): Exactness {
  const isPlain = outputs.every(({ channel }) => channel === 'content' || channel === 'refusal');
  return encoding.isOwn && !encoding.isHarmony && isPlain ? 'close' : 'rough';
}

function inputExactness(input: InputText, encoding: ModelEncoding): Exactness {
  const isPlain = input.tools.length === 0 && input.extras.length === 0 && !input.isPartial;
  return encoding.isOwn && isPlain ? 'close' : 'rough';
}
