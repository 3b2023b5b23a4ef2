/** The stream that travels: chat completion chunks as vLLM writes them, with the moment of emission inside. */

/** What the upstream is asked for, as JSON in the header `x-bench`, which every proxy hands on. */
export type Order = StreamOrder | CallOrder;

export interface StreamOrder {
  readonly kind: 'stream';
  readonly events: number;
  readonly perSecond: number;
  /** 0 to 1: where in the period the events of this stream stand. */
  readonly phase: number;
  readonly model: string;
}

/** A short answer at once, as soon as the whole request was read. */
export interface CallOrder {
  readonly kind: 'call';
  readonly model: string;
}

export const ORDER_HEADER = 'x-bench';

/**
 * Stands before the stamp, and nowhere else in the stream. Its first byte does not come again in it. The
 * stamp is the text: what differs from event to event is what differs in a real engine's stream.
 */
export const STAMP_MARK = ':" t';
/** Microseconds: enough for 285 years, and below 2^53. */
export const STAMP_DIGITS = 16;

/** CLOCK_MONOTONIC, which is one clock for all processes of a machine. */
export function nowUs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + nanoseconds / 1e3;
}

/** One kind of event as bytes, framed as one HTTP chunk. */
export class EventTemplate {
  readonly #bytes: Buffer;
  readonly #stampAt: number;

  constructor(model: string) {
    const delta = `{"content"${STAMP_MARK}${'0'.repeat(STAMP_DIGITS)}"}`;
    const choices = `[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":null}]`;
    this.#bytes = Buffer.from(asChunk(`data: ${opening(model)},"choices":${choices}}\n\n`));
    this.#stampAt = this.#bytes.indexOf(STAMP_MARK) + STAMP_MARK.length;
  }

  /** An event that says that it was made now. */
  stamped(): Buffer {
    const bytes = Buffer.allocUnsafe(this.#bytes.length);
    this.#bytes.copy(bytes);
    bytes.write(Math.floor(nowUs()).toString().padStart(STAMP_DIGITS, '0'), this.#stampAt, 'latin1');
    return bytes;
  }
}

/** The role, which is no token, as every chat stream begins. */
export function firstChunk(model: string): string {
  const choices = '[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]';
  return asChunk(`data: ${opening(model)},"choices":${choices}}\n\n`);
}

/** Finish reason, usage, `[DONE]`, and the end of the chunked body. */
export function lastChunks(model: string, tokens: number): string {
  const finish = '[{"index":0,"delta":{},"finish_reason":"length"}]';
  const usage = `{"prompt_tokens":32,"completion_tokens":${tokens},"total_tokens":${32 + tokens}}`;
  const events = [
    `data: ${opening(model)},"choices":${finish}}\n\n`,
    `data: ${opening(model)},"choices":[],"usage":${usage}}\n\n`,
    'data: [DONE]\n\n',
  ];
  return `${events.map(asChunk).join('')}0\r\n\r\n`;
}

/** The body of an answer that is not streamed: a paragraph. */
export function wholeAnswer(model: string): string {
  const content = 'Metering reads a copy of what passes, and costs what reading costs. '.repeat(4);
  return JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created: 1_760_000_000,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content }, logprobs: null, finish_reason: 'stop' }],
    usage: { prompt_tokens: 32, completion_tokens: 64, total_tokens: 96 },
  });
}

function opening(model: string): string {
  return `{"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1760000000,"model":${JSON.stringify(model)}`;
}

function asChunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}
