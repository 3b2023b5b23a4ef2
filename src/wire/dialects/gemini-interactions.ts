import { CountReader } from '../counts.ts';
import type { Dialect, FactSink, UsageSnapshot } from '../facts.ts';
import { array, type JsonObject, object, string } from '../json.ts';
import { type MessageReader, openMessages } from '../message-answer.ts';
import { ModelName } from '../model-name.ts';
import { usageOf, wholeOutput } from '../snapshot.ts';
import { say, sayCall } from './say.ts';

/** `POST …/interactions` of Gemini: steps, of which each begins, comes in deltas and stops; or one body of steps. */
export const geminiInteractions: Dialect = {
  api: 'gemini.interactions',
  open: (head, sink, eventBytes) => openMessages(head, new InteractionMessages(sink), { sink, eventBytes }),
};

class InteractionMessages implements MessageReader {
  readonly #sink: FactSink;
  readonly #counts: CountReader;
  readonly #name: ModelName;
  #isOver = false;

  constructor(sink: FactSink) {
    this.#sink = sink;
    this.#counts = new CountReader(sink);
    this.#name = new ModelName(sink);
  }

  get complete(): boolean {
    return this.#isOver;
  }

  message(message: JsonObject, isBody: boolean): void {
    if (isBody) this.#readBody(message);
    else this.#readEvent(message);
  }

  end(): void {}

  /** Before there were steps, the events were `content.delta` and `interaction.complete`, and a body had `outputs`. */
  #readEvent(event: JsonObject): void {
    switch (event['event_type']) {
      case 'step.start':
        this.#readCall(object(event['step']));
        break;
      case 'step.delta':
      case 'content.delta':
        this.#readDelta(object(event['delta']));
        break;
      case 'interaction.created':
      case 'interaction.start':
        this.#name.read(object(event['interaction'])?.['model']);
        break;
      case 'interaction.completed':
      case 'interaction.complete':
        this.#readEnd(object(event['interaction']) ?? {});
        break;
    }
  }

  #readBody(interaction: JsonObject): void {
    for (const value of [...array(interaction['steps']), ...array(interaction['outputs'])]) {
      const step = object(value);
      if (step === null) continue;
      this.#readCall(step);
      for (const part of array(step['summary'])) say(this.#sink, 'summary', object(part)?.['text']);
      for (const part of [step, ...array(step['content'])]) this.#readContent(object(part));
    }
    this.#readEnd(interaction);
  }

  #readDelta(delta: JsonObject | null): void {
    if (delta === null) return;
    if (delta['type'] === 'thought_summary') say(this.#sink, 'summary', object(delta['content'])?.['text']);
    else if (delta['type'] === 'arguments_delta') say(this.#sink, 'tool', delta['arguments']);
    else this.#readContent(delta);
    this.#readCall(delta);
  }

  #readContent(content: JsonObject | null): void {
    if (content?.['type'] === 'text') say(this.#sink, 'content', content['text']);
    if (content?.['type'] === 'audio' || content?.['type'] === 'image') say(this.#sink, 'audio', content['data']);
  }

  /** Calls that the client or the server is to run; results of the server's are no output. */
  #readCall(step: JsonObject | null): void {
    if (step === null || !string(step['type']).endsWith('_call')) return;
    sayCall(this.#sink, step['name'], step['arguments']);
  }

  /** The interaction as it ended, with its usage. */
  #readEnd(interaction: JsonObject): void {
    this.#name.read(interaction['model']);
    const usage = object(interaction['usage']);
    const said = usage === null ? null : readInteractionUsage(usage, this.#counts);
    if (said !== null) this.#sink.usage(said, true);
    const state = string(interaction['status']);
    if (this.#isOver || state === 'in_progress') return;
    this.#isOver = true;
    if (state === 'failed') this.#sink.failed();
    if (state !== '') this.#sink.choiceEnded(0, state);
  }
}

/** Thoughts are counted apart from the output, and what tools were asked apart from the input. */
function readInteractionUsage(usage: JsonObject, counts: CountReader): UsageSnapshot | null {
  const thoughts = counts.read(usage['total_thought_tokens']);
  const input = counts.sum([
    counts.read(usage['total_input_tokens']),
    counts.read(usage['total_tool_use_tokens']) ?? 0,
  ]);
  const output = counts.sum([counts.read(usage['total_output_tokens']), thoughts ?? 0]);
  return usageOf({
    inputTokens: input,
    cachedInputTokens: counts.read(usage['total_cached_tokens']),
    outputTokens: wholeOutput(output, input, counts.read(usage['total_tokens'])),
    reasoningTokens: thoughts,
  });
}
