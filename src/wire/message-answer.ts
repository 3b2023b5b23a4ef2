import type { AnswerHead, AnswerReader, Api, FactSink, OpenedAnswer } from './facts.ts';
import { bodyStart, JsonBody } from './framing/json.ts';
import { type ElementHandler, JsonArrayFramer } from './framing/json-array.ts';
import { ListFilter } from './framing/list-filter.ts';
import { LineFramer, type LineHandler } from './framing/ndjson.ts';
import { SseFramer, type SseHandler } from './framing/sse.ts';
import { headTimings } from './head-numbers.ts';
import { type JsonObject, parseObject } from './json.ts';
import type { Repeats } from './repeats.ts';
import { type Stretch, stretchOf } from './stretch.ts';

/** What a dialect makes of the JSON messages of one answer; the framing that carried them is not its concern. */
export interface MessageReader {
  /** One message: the payload of an event, or (`isBody`) the whole of an answer that was not streamed. */
  message(message: JsonObject, isBody: boolean): void;
  /** `[DONE]`: the answer says itself that it is whole. */
  done?(): void;
  /** No more messages will come. `whole`: the body ended cleanly in its HTTP framing. */
  end(whole: boolean): void;
  /** What the messages themselves say: the answer is whole. */
  readonly complete: boolean;
  /** See `OpenedAnswer`. */
  readonly api?: Api | null;
}

/** What an answer of JSON messages is read with. */
export interface MessageParts {
  sink: FactSink;
  eventBytes: number;
  /** A list at the top: a stream of messages, or one body of several. Where it is not given, a list is no answer. */
  list?: 'stream' | 'body';
  /** A list in an unstreamed body that is large and says nothing (embeddings): it is not held. */
  vectors?: string;
  /** Tells a message of a stream from a body, where messages come as lines under the name of JSON. */
  isLine?: (message: JsonObject) => boolean;
  /** The sink that `messages` tells, where its reader keeps nothing between events that tell one output. */
  repeats?: Repeats;
}

/** One JSON message a line: Ollama, Cohere v1, and the names that others gave the same thing. */
const LINE_TYPES = new Set([
  'application/x-ndjson',
  'application/stream+json',
  'application/ndjson',
  'application/jsonl',
]);
/** Media types under which such answers have been seen; recordings hold event streams called application/json. */
const TEXT_TYPES = new Set(['text/event-stream', 'application/json', 'text/plain', '', ...LINE_TYPES]);
/** First bytes of an event stream, none of which begins JSON: a comment, `data`, `event` or `error`, `id`, `retry`. */
const SSE_STARTS = new Set([...':deir'].map((letter) => letter.charCodeAt(0)));
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** What every message says, whatever its API: a new event, and a failure where it holds an `error`. */
export function beginMessage(message: JsonObject, sink: FactSink): void {
  sink.event();
  if (carriesError(message)) sink.failed();
}

/** An `error` that says something. Many servers write the member in every message, empty. */
export function carriesError(holder: JsonObject | null): boolean {
  const error = holder?.['error'];
  return error !== undefined && error !== null && saysSomething(error);
}

/** Anything but `{}`, an empty text or list, `false` and 0; of an object or a list, such a member. */
function saysSomething(error: unknown): boolean {
  return typeof error === 'object' && error !== null ? Object.values(error).some(isFilled) : isFilled(error);
}

function isFilled(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return typeof value === 'string' ? value.trim() !== '' : Boolean(value);
}

/** Opens an answer made of JSON messages: server-sent events, lines, a list or one body. Null for failures and for binary answers. */
export function openMessages(head: AnswerHead, messages: MessageReader, parts: MessageParts): OpenedAnswer | null {
  if (head.status < 200 || head.status > 299 || !TEXT_TYPES.has(head.mediaType)) return null;
  return new MessageAnswer(head, messages, parts);
}

/**
 * Chooses the framing by the media type and the first byte behind blank space, then hands on
 * messages. `[DONE]`, events named `error` and a top-level `error` mean the same in every API that
 * Pitot knows, so they are understood here.
 */
class MessageAnswer implements OpenedAnswer, AnswerReader, SseHandler, LineHandler, ElementHandler {
  readonly #messages: MessageReader;
  readonly #parts: MessageParts;
  readonly #sink: FactSink;
  readonly #saysEventStream: boolean;
  readonly #saysLines: boolean;
  /** Until it was read, or events came: only a body gives reason to read it. Thousands of streams may be open. */
  #head: AnswerHead | null;
  #events: SseFramer | LineFramer | null = null;
  /** Nothing of an event is held. Kept here, since it is asked for each read and told by what lies far apart in memory. */
  #isBetweenEvents = true;
  #list: JsonArrayFramer | null = null;
  #body: JsonBody | null = null;
  #filter: ListFilter | null = null;
  #isDone = false;
  #bodyIsWhole = false;
  /** The one body began as JSON; of anything else it cannot be said that it broke off. */
  #bodyIsJson = false;
  #ending = false;

  constructor(head: AnswerHead, messages: MessageReader, parts: MessageParts) {
    this.#head = head;
    this.#saysEventStream = head.mediaType === 'text/event-stream';
    this.#saysLines = LINE_TYPES.has(head.mediaType);
    this.#messages = messages;
    this.#parts = parts;
    this.#sink = parts.sink;
  }

  get reader(): AnswerReader {
    return this;
  }

  get api(): Api | null {
    return this.#messages.api ?? null;
  }

  /** By the header until the first byte came, then by what came. */
  get streamed(): boolean {
    if (this.#list !== null) return this.#parts.list === 'stream';
    return this.#body === null && (this.#events !== null || this.#saysEventStream || this.#saysLines);
  }

  get complete(): boolean {
    return this.#isDone || this.#bodyIsWhole || this.#list?.closed || this.#messages.complete;
  }

  push(bytes: Uint8Array): void {
    if (this.#events !== null) this.#pushEvents(this.#events, stretchOf(bytes));
    else if (this.#list !== null) this.#list.push(bytes);
    else if (this.#body !== null) this.#pushBody(this.#body, bytes);
    else this.#begin(bytes);
  }

  take(read: Stretch): void {
    if (this.#events !== null) this.#pushEvents(this.#events, read);
    else this.push(read.bytes.subarray(read.from, read.to));
  }

  end(whole: boolean): void {
    this.#ending = true;
    this.#events?.end();
    this.#list?.end();
    if (this.#body !== null) this.#endBody(this.#body, whole);
    this.#messages.end(whole);
  }

  onEvent(event: string, data: string): void {
    if (event === 'error') this.#sink.failed();
    const text = data.trim();
    // Asked first: to fail at it as JSON would cost more than a dozen events.
    if (text === '[DONE]') {
      this.#finish();
      return;
    }
    const message = parseObject(data);
    if (message !== null) this.#handOn(message, false);
    // Empty data is a keep-alive; an event cut short by the end of the stream is no unreadable one.
    else if (event !== 'error' && !this.#ending && text !== '') this.#sink.degraded('unparsed_event');
  }

  onLine(line: string): void {
    this.onEvent('', line);
  }

  onElement(text: string): void {
    const message = parseObject(text);
    if (message === null) this.#sink.degraded('unparsed_event');
    else this.#handOn(message, this.#parts.list === 'body');
  }

  onTooLarge(): void {
    this.#sink.degraded('event_too_large');
  }

  #finish(): void {
    this.#isDone = true;
    this.#messages.done?.();
  }

  #pushEvents(events: SseFramer | LineFramer, read: Stretch): void {
    const repeats = this.#isBetweenEvents ? this.#parts.repeats : undefined;
    const from = read.from + (repeats?.tell(read) ?? 0);
    if (from === read.to) return;
    const rest = read.bytes.subarray(from, read.to);
    events.push(rest);
    this.#isBetweenEvents = events.isBetweenEvents;
    if (this.#isBetweenEvents) repeats?.learn(rest);
  }

  #begin(bytes: Uint8Array): void {
    const start = bodyStart(bytes);
    if (start === bytes.length) return;
    const first = bytes[start] ?? 0;
    const { eventBytes, list, vectors } = this.#parts;
    if (first === OPEN_BRACKET && list !== undefined) this.#list = new JsonArrayFramer(this, eventBytes);
    else if (this.#saysEventStream ? first !== OPEN_BRACE : SSE_STARTS.has(first))
      this.#events = new SseFramer(this, eventBytes);
    else if (this.#saysLines) this.#events = new LineFramer(this, eventBytes);
    else {
      const body = new JsonBody(eventBytes);
      this.#bodyIsJson = first === OPEN_BRACE || first === OPEN_BRACKET;
      this.#body = body;
      if (vectors !== undefined) this.#filter = new ListFilter(vectors, (kept) => body.push(kept));
    }
    if (this.#events !== null) this.#head = null;
    this.push(bytes.subarray(start));
  }

  #pushBody(body: JsonBody, bytes: Uint8Array): void {
    if (body.tooLarge) return;
    if (this.#filter !== null) this.#filter.push(bytes);
    else {
      const taken = body.push(bytes);
      if (body.holdsLines || this.#beginsWithLine(body)) this.#turnToLines(body, bytes.subarray(taken));
    }
    if (body.tooLarge) this.onTooLarge();
  }

  /** Asked until the first line is whole. Of a body that is written over several it is no message. */
  #beginsWithLine(body: JsonBody): boolean {
    const { isLine } = this.#parts;
    const line = isLine === undefined ? null : body.takeFirstLine();
    const message = line === null ? null : parseObject(line);
    return message !== null && isLine?.(message) === true;
  }

  #turnToLines(body: JsonBody, rest: Uint8Array): void {
    const lines = new LineFramer(this, this.#parts.eventBytes);
    this.#events = lines;
    this.#body = null;
    lines.push(body.held);
    lines.push(rest);
  }

  #endBody(body: JsonBody, whole: boolean): void {
    // Of one that is no JSON, or too large to be held, its framing says whether all of it came.
    this.#bodyIsWhole = whole && (body.tooLarge || !this.#bodyIsJson);
    if (body.tooLarge) return;
    const message = parseObject(body.end());
    if (message !== null && this.#parts.isLine?.(message)) {
      // One line came, and not its end.
      this.#body = null;
      this.#events = new LineFramer(this, this.#parts.eventBytes);
      this.#handOn(message, false);
      return;
    }
    if (message !== null) this.#bodyIsWhole = true;
    if (message !== null) this.#handOn(message, true);
    else if (whole) this.#sink.degraded('unparsed_event');
  }

  #handOn(message: JsonObject, isBody: boolean): void {
    beginMessage(message, this.#sink);
    if (isBody) this.#readHead();
    this.#messages.message(message, isBody);
  }

  /** What the body says of the server's time comes after it, and counts before it. */
  #readHead(): void {
    const timings = this.#head === null ? null : headTimings(this.#head);
    this.#head = null;
    if (timings !== null) this.#sink.timings(timings);
  }
}
