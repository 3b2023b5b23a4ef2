/**
 * The facts that a reader finds in an answer. A reader calls a sink instead of building objects:
 * this runs once per relayed event, and a call allocates nothing.
 */

import type { Stretch } from './stretch.ts';

/** The APIs Pitot can name; the `api` field of a usage record (CONTRACT §8). */
export const APIS = [
  'openai.chat',
  'openai.completions',
  'openai.responses',
  'openai.embeddings',
  'openai.audio',
  'openai.assistants',
  'anthropic.messages',
  'anthropic.complete',
  'gemini.generate',
  'gemini.interactions',
  'ollama.chat',
  'ollama.generate',
  'ollama.embed',
  'tgi.generate',
  'sglang.generate',
  'llamacpp.completion',
  'triton.generate',
  'cohere.chat',
  'bedrock.converse',
  'bedrock.invoke',
  'watsonx',
  'websocket',
  'other',
] as const;
export type Api = (typeof APIS)[number];

/**
 * Where generated payload appears. `reasoning` is output, but not yet the answer (TTFA, CONTRACT §1).
 * `summary` tells of reasoning that itself stays hidden: a token has come, but the reasoning tokens
 * that are counted were not streamed.
 */
export type Channel = 'content' | 'reasoning' | 'summary' | 'tool' | 'refusal' | 'audio';

/**
 * Token counts in canonical form (CONTRACT §6.3): `inputTokens` includes cache reads and writes,
 * `outputTokens` includes reasoning. An absent property was not said; it is never 0 for unknown.
 */
export interface UsageSnapshot {
  inputTokens?: number;
  cachedInputTokens?: number;
  cacheWriteInputTokens?: number;
  outputTokens?: number;
  reasoningTokens?: number;
}

/**
 * What a count is the count of, in the order in which it is believed: what the upstream says of the whole
 * `request`; what it says of each of the `choices`, added up; the length of the `lists` of tokens that it
 * sends beside the text.
 */
export type CountOrigin = 'request' | 'choices' | 'lists';

/** What the upstream says of its own time, in milliseconds; null where it does not say. */
export interface ServerTimings {
  queue_ms: number | null;
  prefill_ms: number | null;
  decode_ms: number | null;
  total_ms: number | null;
}

/** Why metering gave up on an event or a body while the relay went on. */
export const DEGRADE_REASONS = [
  'unparsed_event',
  'event_too_large',
  'unsupported_encoding',
  'inflate_failed',
  'bad_usage',
  'meter_error',
] as const;
export type DegradeReason = (typeof DEGRADE_REASONS)[number];

/** An event that differs from the one before it in the text of its one output, and in nothing else. */
export interface AlikeEvent {
  readonly choice: number;
  readonly channel: Channel;
  /** The text stands in `read` from `from` to `to`, without escapes. Only during the call that hands it over. */
  readonly read: Uint8Array;
  readonly from: number;
  readonly to: number;
  readonly isAscii: boolean;
  /** Decoded anew at each call. */
  text(): string;
}

/**
 * Receives facts in the order in which they stand in the answer. Within one event a reader calls
 * `event` first, then `output` for every payload, then `usage`.
 */
export interface FactSink {
  /** A new event (SSE event, NDJSON line, array element, frame or whole JSON body) begins. */
  event(): void;
  /** Non-empty generated payload. `text` is what the model wrote; its length feeds estimates only. */
  output(choice: number, channel: Channel, text: string): void;
  /** `event` and `output` in one call: the usual case of a long stream. */
  alike(event: AlikeEvent): void;
  /**
   * A usage snapshot. `final`: the upstream's last word (own usage chunk, finish chunk or JSON body),
   * as against a running count in the middle of a stream. Snapshots of one origin, `request` unless it is
   * given, are merged by field-wise maximum.
   */
  usage(snapshot: UsageSnapshot, final: boolean, origin?: CountOrigin): void;
  /** Output tokens so far of one choice, where the upstream counts each choice apart (vLLM). */
  choiceTokens(choice: number, outputTokens: number): void;
  /** A choice has ended, and why. */
  choiceEnded(choice: number, reason: string): void;
  /** The model name that the answer carries. */
  model(name: string): void;
  /** The upstream reported a failure inside the answer. */
  failed(): void;
  timings(timings: ServerTimings): void;
  degraded(reason: DegradeReason): void;
}

/** Reads one answer. Never throws on upstream input; memory is bounded by `eventBytes`. */
export interface AnswerReader {
  push(bytes: Uint8Array): void;
  /** The same, of bytes that stand among others: a reader that may know them without parsing them need not have them cut out. */
  take?(read: Stretch): void;
  /** The body is over: `whole` when it ended cleanly in its HTTP framing. An unfinished event is parsed leniently. */
  end(whole: boolean): void;
  /** The dialect's terminal marker was seen: what follows is decoration. */
  readonly complete: boolean;
}

/** How many answers the request asked for, as far as it was read. */
export interface AskedFor {
  /** Answers to each prompt (`n`). */
  choices: number;
  prompts: number;
}

/** What is known of an answer when its head has arrived. */
export interface AnswerHead {
  status: number;
  /** Lower case, without parameters; empty when the header is absent. */
  mediaType: string;
  /** The value of any other header, by its name in lower case; several are joined by commas. Null when absent. */
  header(name: string): string | null;
  /** Missing: the request was not read. */
  asked?: AskedFor;
}

/** One wire format. Reads both the streamed and the unstreamed answers of one API. */
export interface Dialect {
  readonly api: Api;
  /** A reader for this answer, or null where its shape is not of this dialect (then only bytes are counted). */
  open(head: AnswerHead, sink: FactSink, eventBytes: number): OpenedAnswer | null;
}

export interface OpenedAnswer {
  reader: AnswerReader;
  /** The answer arrives in events: it has a first token. False for one JSON body. */
  streamed: boolean;
  /** On a path that several APIs share: whose answer it turned out to be. Null where its path says it, or it is not known yet. */
  readonly api?: Api | null;
}
