import { ByShape } from '../by-shape.ts';
import { CountReader, saysCounts, snapshotOf } from '../counts.ts';
import type { AnswerHead, Dialect, FactSink, UsageSnapshot } from '../facts.ts';
import { openFrames } from '../frame-answer.ts';
import { headNumber } from '../head-numbers.ts';
import { count, type JsonObject, measure, object } from '../json.ts';
import type { MessageReader } from '../message-answer.ts';
import { vendorOf } from './bedrock-vendors.ts';
import { LastWord } from './last-word.ts';

/** `POST /model/{id}/invoke` and `/invoke-with-response-stream` of AWS Bedrock (FORMATS §13). */
export const bedrockInvoke: Dialect = {
  api: 'bedrock.invoke',
  open(head, sink, eventBytes) {
    return openFrames(head, new InvokeMessages(head, sink), { sink, eventBytes });
  },
};

/** What the names of models have in common that answer with vectors, scores or pictures. */
const WITHOUT_TEXT = ['embed', 'rerank', 'image', 'canvas', 'stability.'];

/** The same path serves models of every kind; only the name tells, unless it is an ARN that hides it. */
export function asksForText(model: string): boolean {
  return !WITHOUT_TEXT.some((part) => model.includes(part));
}

/** The vendor's own messages. What Bedrock measured, it adds to the last of a stream, and to the head of a body. */
class InvokeMessages implements MessageReader {
  readonly #head: AnswerHead;
  readonly #sink: FactSink;
  readonly #counts: CountReader;
  readonly #lastWord: LastWord;
  readonly #vendor: ByShape;
  #hasLast = false;

  constructor(head: AnswerHead, sink: FactSink) {
    this.#head = head;
    this.#sink = sink;
    this.#counts = new CountReader(sink);
    const lastWord = new LastWord(sink);
    this.#lastWord = lastWord;
    this.#vendor = new ByShape((message) => vendorOf(message, lastWord));
  }

  get complete(): boolean {
    return this.#hasLast || this.#vendor.complete;
  }

  message(message: JsonObject, isBody: boolean): void {
    this.#vendor.message(message, isBody);
    const metrics = object(message['amazon-bedrock-invocationMetrics']) ?? (isBody ? metricsOf(this.#head) : null);
    if (metrics !== null) this.#readMetrics(metrics);
    // Titan's total stands in its last chunk, which has no reason and no metrics where a guardrail intervened.
    if (metrics !== null || count(message['totalOutputTextTokenCount']) !== null) this.#hasLast = true;
  }

  end(whole: boolean): void {
    this.#vendor.end(whole);
    this.#lastWord.end();
  }

  #readMetrics(metrics: JsonObject): void {
    const said = this.#readCounts(metrics);
    if (saysCounts(said)) this.#lastWord.say(said);
    const prefill_ms = measure(metrics['firstByteLatency']);
    const total_ms = measure(metrics['invocationLatency']);
    if (prefill_ms === null && total_ms === null) return;
    this.#sink.timings({ queue_ms: null, prefill_ms, decode_ms: null, total_ms });
  }

  /** The input is counted without what was read from and written to the cache. */
  #readCounts(metrics: JsonObject): UsageSnapshot {
    const cached = this.#counts.read(metrics['cacheReadInputTokenCount']);
    const written = this.#counts.read(metrics['cacheWriteInputTokenCount']);
    return snapshotOf({
      inputTokens: this.#counts.sum([this.#counts.read(metrics['inputTokenCount']), cached ?? 0, written ?? 0]),
      cachedInputTokens: cached,
      cacheWriteInputTokens: written,
      outputTokens: this.#counts.read(metrics['outputTokenCount']),
    });
  }
}

/** The same numbers under the same names, as headers have them; null where there are none. */
function metricsOf(head: AnswerHead): JsonObject | null {
  const metrics = {
    inputTokenCount: headNumber(head, 'x-amzn-bedrock-input-token-count'),
    outputTokenCount: headNumber(head, 'x-amzn-bedrock-output-token-count'),
    cacheReadInputTokenCount: headNumber(head, 'x-amzn-bedrock-cache-read-input-token-count'),
    cacheWriteInputTokenCount: headNumber(head, 'x-amzn-bedrock-cache-write-input-token-count'),
    invocationLatency: headNumber(head, 'x-amzn-bedrock-invocation-latency'),
  };
  return Object.values(metrics).every((value) => value === undefined) ? null : metrics;
}
