import { CountReader, saysCounts } from '../counts.ts';
import type { FactSink } from '../facts.ts';
import { array, type JsonObject, object } from '../json.ts';
import type { MessageReader } from '../message-answer.ts';
import { readCohereEnd, readCohereUsage } from './cohere-usage.ts';
import { say, sayCall } from './say.ts';

/** Events, told apart by `event_type`, and bodies of Cohere's `/v1/chat`. */
export class CohereV1 implements MessageReader {
  readonly #sink: FactSink;
  readonly #counts: CountReader;
  #hasEnded = false;
  /** Calls came piece by piece, so the event that repeats them whole adds nothing. */
  #hasCallDeltas = false;

  constructor(sink: FactSink) {
    this.#sink = sink;
    this.#counts = new CountReader(sink);
  }

  get complete(): boolean {
    return this.#hasEnded;
  }

  message(message: JsonObject, isBody: boolean): void {
    switch (isBody ? 'text-generation' : message['event_type']) {
      case 'text-generation':
        say(this.#sink, 'content', message['text']);
        break;
      case 'tool-calls-chunk':
        this.#readCallDelta(message);
        break;
    }
    if (!this.#hasCallDeltas) this.#readCalls(message['tool_calls']);
    if (!this.#hasEnded) this.#hasEnded = readCohereEnd(message, this.#sink);
    const meta = object(message['meta']) ?? object(object(message['response'])?.['meta']);
    const said = meta === null ? {} : readCohereUsage(meta, this.#counts);
    if (saysCounts(said)) this.#sink.usage(said, true);
  }

  end(): void {}

  /** Its `text` is the plan that the model makes before it calls. */
  #readCallDelta(message: JsonObject): void {
    say(this.#sink, 'reasoning', message['text']);
    const call = object(message['tool_call_delta']);
    if (call === null) return;
    this.#hasCallDeltas = true;
    sayCall(this.#sink, call['name'], call['parameters']);
  }

  #readCalls(calls: unknown): void {
    for (const value of array(calls)) {
      const call = object(value);
      if (call !== null) sayCall(this.#sink, call['name'], call['parameters']);
    }
  }
}
