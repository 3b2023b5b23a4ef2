import { CountReader, saysCounts, snapshotOf } from '../counts.ts';
import type { FactSink, UsageSnapshot } from '../facts.ts';
import { array, type JsonObject, measure, object, string } from '../json.ts';
import type { MessageReader } from '../message-answer.ts';
import { say, sayCall } from './say.ts';

/** Nova's own API (`invoke`) sends the same events, each under its name. */
const NAMED_EVENTS = ['contentBlockStart', 'contentBlockDelta', 'messageStop', 'metadata'];

/**
 * Events and bodies of Bedrock's Converse API. Every event is known by its keys, so the name in its
 * frame is not needed. The answer ends at `messageStop`; usage comes behind it, in `metadata`.
 */
export class ConverseMessages implements MessageReader {
  readonly #sink: FactSink;
  readonly #counts: CountReader;
  #isStopped = false;

  constructor(sink: FactSink) {
    this.#sink = sink;
    this.#counts = new CountReader(sink);
  }

  get complete(): boolean {
    return this.#isStopped;
  }

  message(message: JsonObject): void {
    this.#read(message);
    for (const name of NAMED_EVENTS) {
      const event = object(message[name]);
      if (event !== null) this.#read(event);
    }
  }

  end(): void {}

  #read(event: JsonObject): void {
    const body = object(object(event['output'])?.['message']);
    for (const block of array(body?.['content'])) this.#readBlock(object(block));
    this.#readBlock(object(event['start']));
    this.#readBlock(object(event['delta']));
    const reason = string(event['stopReason']);
    if (reason !== '' && !this.#isStopped) {
      this.#isStopped = true;
      this.#sink.choiceEnded(0, reason);
    }
    const usage = object(event['usage']);
    const said = usage === null ? {} : readConverseUsage(usage, this.#counts);
    if (saysCounts(said)) this.#sink.usage(said, true);
    const total_ms = measure(object(event['metrics'])?.['latencyMs']);
    if (total_ms !== null) this.#sink.timings({ queue_ms: null, prefill_ms: null, decode_ms: null, total_ms });
  }

  /** A whole block of a body, or the start or a delta of one. */
  #readBlock(block: JsonObject | null): void {
    if (block === null) return;
    say(this.#sink, 'content', block['text']);
    const reasoning = object(block['reasoningContent']);
    say(this.#sink, 'reasoning', reasoning?.['text'] ?? object(reasoning?.['reasoningText'])?.['text']);
    const tool = object(block['toolUse']);
    if (tool !== null) sayCall(this.#sink, tool['name'], tool['input']);
  }
}

/**
 * Converse's `usage` in canonical counts: what was read from and written to the cache is counted
 * apart from the input, unless the total says that the input holds it already.
 */
function readConverseUsage(usage: JsonObject, counts: CountReader): UsageSnapshot {
  const input = counts.read(usage['inputTokens']);
  const output = counts.read(usage['outputTokens']);
  const cached = counts.read(usage['cacheReadInputTokens']) ?? counts.read(usage['cacheReadInputTokenCount']);
  const written = counts.read(usage['cacheWriteInputTokens']) ?? counts.read(usage['cacheWriteInputTokenCount']);
  const whole = counts.sum([input, cached ?? 0, written ?? 0]);
  const total = counts.read(usage['totalTokens']);
  const isInclusive = total !== undefined && whole !== undefined && total < whole + (output ?? 0);
  return snapshotOf({
    inputTokens: isInclusive ? input : whole,
    cachedInputTokens: cached,
    cacheWriteInputTokens: written,
    outputTokens: output,
  });
}
