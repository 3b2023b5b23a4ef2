import { CountReader, saysCounts } from '../counts.ts';
import type { FactSink } from '../facts.ts';
import { array, type JsonObject, object } from '../json.ts';
import type { MessageReader } from '../message-answer.ts';
import { readCohereEnd, readCohereUsage } from './cohere-usage.ts';
import { say, sayCall } from './say.ts';

/**
 * Events and bodies of Cohere's `/v2/chat`. An event holds in its `delta` what a body holds at its
 * top, only that `content` and `tool_calls` are single objects there and lists here.
 */
export class CohereV2 implements MessageReader {
  readonly #sink: FactSink;
  readonly #counts: CountReader;
  #hasEnded = false;

  constructor(sink: FactSink) {
    this.#sink = sink;
    this.#counts = new CountReader(sink);
  }

  get complete(): boolean {
    return this.#hasEnded;
  }

  message(message: JsonObject, isBody: boolean): void {
    const holder = isBody ? message : object(message['delta']);
    if (holder === null) return;
    const payload = object(holder['message']);
    if (payload !== null) this.#readPayload(payload);
    if (!this.#hasEnded) this.#hasEnded = readCohereEnd(holder, this.#sink);
    const usage = object(holder['usage']);
    const said = usage === null ? {} : readCohereUsage(usage, this.#counts);
    if (saysCounts(said)) this.#sink.usage(said, true);
  }

  end(): void {}

  #readPayload(payload: JsonObject): void {
    for (const part of parts(payload['content'])) {
      say(this.#sink, 'content', part['text']);
      say(this.#sink, 'reasoning', part['thinking']);
    }
    say(this.#sink, 'reasoning', payload['tool_plan']);
    for (const call of parts(payload['tool_calls'])) {
      const called = object(call['function']);
      if (called !== null) sayCall(this.#sink, called['name'], called['arguments']);
    }
  }
}

function parts(value: unknown): JsonObject[] {
  const list = Array.isArray(value) ? array(value) : [value];
  return list.map(object).filter((part) => part !== null);
}
