import { chatOverhead } from './chat-overhead.ts';
import type { ModelEncoding } from './encoding.ts';
import type { CountRequest, CountResult, Exactness, InputText, OutputText } from './protocol.ts';
import { readInput, textsOf } from './read-input.ts';
import { type Counting, countTexts, type TextCounts } from './sample.ts';
import { toolOverhead } from './tool-text.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Base64, at times beside its transcript. */
const AUDIO = 'audio';

export interface Means {
  encoding: ModelEncoding;
  vocabulary: Pick<Vocabulary, 'count'>;
  budget: { readonly isOver: boolean };
}

/**
 * Counts a request, the output first, since it is what throughput is made of. Null when the budget
 * ended before a fair part of the output was counted.
 */
export function countText(request: CountRequest, means: Means): CountResult | null {
  const counting: Counting = {
    count: (piece) => means.vocabulary.count(piece),
    get isOver() {
      return means.budget.isOver;
    },
  };
  const texts = joined(request.output);
  const output = countTexts(
    texts.map(({ text }) => text),
    counting,
  );
  if (output === null) return null;
  return {
    outputTokens: texts.length === 0 ? null : sum(output.tokens),
    isExtrapolated: output.isExtrapolated,
    outputExactness: outputExactness(request.output, output, means.encoding),
    outputs: texts.map(({ choice, channel }, index) => ({ choice, channel, tokens: output.tokens[index] ?? 0 })),
    ...countInput(request.input, counting, means.encoding),
  };
}

function countInput(
  given: CountRequest['input'],
  counting: Counting,
  encoding: ModelEncoding,
): Pick<CountResult, 'inputTokens' | 'inputExactness'> {
  const input = given !== null && 'json' in given ? readInput(given) : given;
  const counts = input === null ? null : countTexts(textsOf(input), counting);
  if (input === null || counts === null) return { inputTokens: null, inputExactness: 'rough' };
  const overhead = chatOverhead(input.messages, encoding.isHarmony) + toolOverhead(input.tools, encoding.name);
  return {
    inputTokens: input.tokens + overhead + sum(counts.tokens),
    inputExactness: inputExactness(input, counts, encoding),
  };
}

/** The text of each choice and channel. */
function joined(parts: readonly OutputText[]): OutputText[] {
  const texts = new Map<string, OutputText>();
  for (const { choice, channel, text } of parts) {
    if (channel === AUDIO) continue;
    const key = `${choice} ${channel}`;
    texts.set(key, { choice, channel, text: (texts.get(key)?.text ?? '') + text });
  }
  return [...texts.values()];
}

/** A harmony model writes more than it shows: its channels' marks, and reasoning that may stay hidden. */
function outputExactness(outputs: readonly OutputText[], counts: TextCounts, encoding: ModelEncoding): Exactness {
  const isPlain = outputs.every(({ channel }) => channel === 'content' || channel === 'refusal');
  return encoding.isOwn && !encoding.isHarmony && isPlain && !counts.isExtrapolated ? 'close' : 'rough';
}

function inputExactness(input: InputText, counts: TextCounts, encoding: ModelEncoding): Exactness {
  const isPlain = input.tools.length === 0 && input.extras.length === 0 && !input.isPartial;
  return encoding.isOwn && isPlain && !counts.isExtrapolated ? 'close' : 'rough';
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
