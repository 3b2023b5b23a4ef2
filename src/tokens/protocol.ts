import type { CountLimits } from './count-budget.ts';
import type { EncodingName } from './encoding.ts';

/** What is counted, what comes back, and what the two threads say to each other. */

/**
 * Generated text of one choice in one channel; parts of the same choice and channel are joined in
 * order. Audio is no text: what stands in the channel `audio` is not counted.
 */
export interface OutputText {
  choice: number;
  /** `content`, `reasoning`, `tool` …: text of different channels is tokenized apart. */
  channel: string;
  text: string;
}

export interface ChatMessage {
  role: string;
  name: string | null;
  /** The message's texts, each tokenized apart. */
  texts: readonly string[];
}

/** A function that the model may call. */
export interface ToolText {
  texts: readonly string[];
  /** Tokens around the texts, as published. */
  marks: number;
}

/** A prompt, as far as it is text. */
export interface InputText {
  /** Chat messages, in order; their published overhead is added. */
  messages: readonly ChatMessage[];
  /** Raw prompts, without any overhead. */
  prompts: readonly string[];
  tools: readonly ToolText[];
  /** Tool calls, schemas and the like: text that the model reads in a form that nobody publishes. */
  extras: readonly string[];
  /** Tokens that were sent as numbers. */
  tokens: number;
  /** Part of the prompt is no text (image, audio, file) or not known (a server's own tools) and is missing here. */
  isPartial: boolean;
}

/** The body of a request, as JSON bytes: parsed in the worker, so that the relaying thread need not. */
export interface RequestBody {
  json: Uint8Array;
}

export interface CountRequest {
  model: string | null;
  output: readonly OutputText[];
  input: InputText | RequestBody | null;
}

/**
 * `close`: the model's own encoding over what it really read or wrote as text; exact for most
 * (docs/ACCURACY.md). `rough`: another encoding stands in, or there is more than text: tools, schemas,
 * images, hidden reasoning; or it is extrapolated.
 */
export type Exactness = 'close' | 'rough';

export interface OutputCount {
  choice: number;
  channel: string;
  tokens: number;
}

/** Null is unknown: there was no text, or the budget ended before a fair part of it was counted. */
export interface CountResult {
  outputTokens: number | null;
  /** The budget ended before all output was counted, and the rest is extrapolated. */
  isExtrapolated: boolean;
  outputExactness: Exactness;
  /** What `outputTokens` is the sum of. */
  outputs: readonly OutputCount[];
  inputTokens: number | null;
  inputExactness: Exactness;
}

/**
 * To the worker: to count, which it answers before the next question is sent, or to load an encoding
 * that will be needed, which it does not answer.
 */
export type Question =
  | { kind: 'count'; request: CountRequest; limits: CountLimits }
  | { kind: 'load'; encoding: EncodingName };

/** From the worker: first that the encoding is there and the budget runs, then the answer. */
export type Reply = { kind: 'counting' } | { kind: 'counted'; result: CountResult | null };
