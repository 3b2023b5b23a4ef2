import type { LocalCountResult } from '../meter/local-counting.ts';
import type { ThroughputSnapshot, UpstreamSnapshot } from './upstream-snapshot.ts';

/**
 * What the live views show of one moment, in the names of `/api/snapshot` (CONTRACT §5). Absent
 * figures are null: a window in which nothing ran has no speed, not the speed 0.
 */

/** The windows over which throughput is told. */
export type ThroughputWindow = '1s' | '10s' | '60s';

export interface Snapshot {
  /** RFC 3339, UTC, with milliseconds. */
  time: string;
  throughput: {
    /** Effective system throughput: output tokens per second over all requests and upstreams. */
    tokens_per_second: Record<ThroughputWindow, number | null>;
    /** The same ÷ the GPUs of the upstreams; null where none has `gpus` configured. */
    tokens_per_second_per_gpu: Record<ThroughputWindow, number | null> | null;
    /** What it came about under: two throughputs under unlike conditions do not compare. */
    conditions: Omit<ThroughputSnapshot, 'tokens_per_second'>;
  };
  /** Quantiles of the per-user speed in output tokens per second; low is bad. Null without samples. */
  user_speed: { p10: number; p50: number } | null;
  /** The same in characters, which compare across tokenizers. */
  user_characters_per_second: { p10: number; p50: number } | null;
  ttft: { p50_ms: number; p95_ms: number } | null;
  /** Generations in flight by phase. */
  in_flight: { prefill: number; decode: number; unstreamed: number };
  /** Finished requests since the start. */
  requests_total: number;
  upstreams: UpstreamSnapshot[];
  /** Of the users seen in the last hour, those with the most output tokens; `/api/users` has all. */
  users: UserSnapshot[];
  /** One for each workload that has an SLO. */
  goodput: GoodputSnapshot[];
  /**
   * Answers since the start that no upstream counted: by the local tokenizer, by it in part and the rest
   * extrapolated, or not, and then they fell back to the live estimate.
   */
  local_counts: Readonly<Record<LocalCountResult, number>>;
  /** `flowing` while any request is in flight. */
  status: 'idle' | 'flowing';
}

/** Of one user; low is bad. */
export interface SpeedQuantiles {
  p1: number;
  p10: number;
  p50: number;
}

/**
 * One user (CONTRACT §5). Requests and known tokens are totals since the user was first told apart; quantiles are of
 * the last half hour to hour, null where nothing was streamed in it.
 */
export interface UserSnapshot {
  /** `unknown` without identity; `other` has what those had who are not told apart any more. */
  user: string;
  requests: number;
  input_tokens: number;
  output_tokens: number;
  /** Output tokens per second of one request while it decodes. */
  speed: SpeedQuantiles | null;
  characters_per_second: SpeedQuantiles | null;
  ttft_p95_ms: number | null;
  /** When the last request ended: RFC 3339, UTC. */
  last_seen: string;
}

/** Goodput of a workload over the last minute (CONTRACT §1), by requests as they end. */
export interface GoodputSnapshot {
  workload: string;
  /** Requests that met every SLO they were judged on, and their output tokens. */
  requests_per_second: number;
  tokens_per_second: number;
  judged_requests_per_second: number;
  /** Good ÷ judged; null when nothing was judged. */
  good_ratio: number | null;
}
