import type { Outcome, Phase } from '../meter/record.ts';

/** A generation in flight (CONTRACT §5). */
export interface RequestSnapshot {
  /** As in its usage record. */
  id: string;
  /** As in usage records; null without identity. */
  user: string | null;
  /** As the answer named it, else as it was asked for; null where neither did. */
  model: string | null;
  /** Null: none was found for it. */
  upstream: string | null;
  workload: string;
  phase: Phase;
  /** Output tokens so far, as counted live. Null where the answer does not come in a stream: nobody knows before its end. */
  tokens: number | null;
  /** Whether `tokens` is Pitot's estimate, and not the upstream's own running count. */
  is_estimated: boolean;
  /**
   * Output tokens per second over the last seconds (two to five; over all its decode where nobody had looked before).
   * 0 is a stream that stands still; null is one that has no speed: nothing streamed yet, or a single token.
   */
  speed: number | null;
  /** Since the request head was received. */
  age_ms: number;
  /** Since its first token, in milliseconds; null before that. */
  decode_ms: number | null;
}

/** How a request can fail: every outcome but one. That a client left says little of the gateway, and is counted apart for that. */
export type FailureOutcome = Exclude<Outcome, 'complete'>;

export interface FailureSnapshot {
  /** When it ended: RFC 3339, UTC. */
  time: string;
  outcome: FailureOutcome;
  /** As sent to the client; 499 where it left before any. */
  status: number;
  /** PITOT code; null where the gateway did not answer itself. */
  error: string | null;
  upstream: string | null;
  /** As in its usage record, else as it was asked for. */
  model: string | null;
  workload: string;
  user: string | null;
  id: string;
  /** Without the query string. */
  path: string;
  /** Output tokens that came before it failed; null where nobody counted. */
  output_tokens: number | null;
}

export interface FailureCount {
  outcome: FailureOutcome;
  last_15_minutes: number;
  /** Since the start. */
  total: number;
}
