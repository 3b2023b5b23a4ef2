import { Choices, choiceNumber } from '../choices.ts';
import { CountReader } from '../counts.ts';
import type { Channel, Dialect, FactSink, UsageSnapshot } from '../facts.ts';
import { array, type JsonObject, object, string } from '../json.ts';
import { type MessageReader, openMessages } from '../message-answer.ts';
import { ModelName } from '../model-name.ts';
import { usageOf, wholeOutput } from '../snapshot.ts';

/**
 * `:generateContent` and `:streamGenerateContent` of Gemini and Vertex (FORMATS §5): one body, an event
 * stream, or a JSON list whose elements come as they are made.
 */
export const geminiGenerate: Dialect = {
  api: 'gemini.generate',
  open: (head, sink, eventBytes) => openMessages(head, new GeminiMessages(sink), { sink, eventBytes, list: 'stream' }),
};

class GeminiMessages implements MessageReader {
  readonly #sink: FactSink;
  readonly #counts: CountReader;
  readonly #name: ModelName;
  readonly #choices = new Choices();
  #choice = 0;
  #isBlocked = false;

  constructor(sink: FactSink) {
    this.#sink = sink;
    this.#counts = new CountReader(sink);
    this.#name = new ModelName(sink);
  }

  get complete(): boolean {
    return this.#isBlocked || this.#choices.allEnded;
  }

  message(message: JsonObject, isBody: boolean): void {
    this.#name.read(message['modelVersion']);
    const candidates = array(message['candidates']);
    for (let place = 0; place < candidates.length; place += 1) {
      const candidate = object(candidates[place]);
      if (candidate !== null) this.#readCandidate(candidate, choiceNumber(candidate['index'], place));
    }
    this.#readBlock(string(object(message['promptFeedback'])?.['blockReason']));
    const usage = object(message['usageMetadata']);
    const said = usage === null ? null : readGeminiUsage(usage, this.#counts);
    // A report names the prompt or the total; what names neither is a running count (recording 082).
    const isReport = said?.inputTokens !== undefined || usage?.['totalTokenCount'] !== undefined;
    if (said !== null) this.#sink.usage(said, isReport && (isBody || this.complete));
  }

  end(): void {}

  #readCandidate(candidate: JsonObject, index: number): void {
    this.#choice = index;
    this.#choices.see(index);
    for (const part of array(object(candidate['content'])?.['parts'])) this.#readPart(object(part));
    const reason = string(candidate['finishReason']);
    if (reason !== '' && this.#choices.end(index)) this.#sink.choiceEnded(index, reason);
  }

  /** Thoughts are summaries: their tokens were counted, but not sent. Signatures and what tools answered are no output. */
  #readPart(part: JsonObject | null): void {
    if (part === null) return;
    this.#say(part['thought'] === true ? 'summary' : 'content', part['text']);
    this.#say('tool', object(part['executableCode'])?.['code']);
    this.#say('audio', object(part['inlineData'])?.['data']);
    const call = object(part['functionCall']);
    if (call === null) return;
    this.#say('tool', call['name']);
    const args = object(call['args']);
    if (args !== null && Object.keys(args).length > 0) this.#say('tool', JSON.stringify(args));
    for (const piece of array(call['partialArgs'])) this.#say('tool', object(piece)?.['stringValue']);
  }

  /** A prompt that was refused has no candidates. */
  #readBlock(reason: string): void {
    if (reason === '' || this.#isBlocked) return;
    this.#isBlocked = true;
    this.#sink.choiceEnded(0, reason);
  }

  #say(channel: Channel, text: unknown): void {
    if (typeof text === 'string' && text !== '') this.#sink.output(this.#choice, channel, text);
  }
}

/**
 * Thoughts are counted apart from the candidates, prompts of tools apart from the prompt; the total holds
 * them all, and tells the output where the last message leaves it out.
 */
function readGeminiUsage(usage: JsonObject, counts: CountReader): UsageSnapshot | null {
  const prompt = counts.read(usage['promptTokenCount']);
  const candidates = counts.read(usage['candidatesTokenCount']);
  const thoughts = counts.read(usage['thoughtsTokenCount']);
  const input = counts.sum([prompt, counts.read(usage['toolUsePromptTokenCount']) ?? 0]);
  const output =
    candidates === undefined && thoughts === undefined ? undefined : counts.sum([candidates ?? 0, thoughts ?? 0]);
  return usageOf({
    inputTokens: input,
    cachedInputTokens: counts.read(usage['cachedContentTokenCount']),
    outputTokens: wholeOutput(output, input, counts.read(usage['totalTokenCount'])),
    reasoningTokens: thoughts,
  });
}
