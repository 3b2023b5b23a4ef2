import type { LocalCountResult } from '../meter/local-counting.ts';
import type { FailureCount, FailureSnapshot, RequestSnapshot } from './request-snapshot.ts';
import type { ThroughputSnapshot, UpstreamSnapshot } from './upstream-snapshot.ts';

/**
 * What the live views show of one moment, in the names of `/api/snapshot` (CONTRACT §5). Absent
 * figures are null: a window in which nothing ran has no speed, not the speed 0. What `/api/stream`
 * sends is made of it: `stream-type.ts`.
 */

/** The windows over which throughput is told. */
export type ThroughputWindow = '1s' | '10s' | '60s';

export interface Snapshot {
  /** RFC 3339, UTC, with milliseconds. */
  time: string;
  gateway: GatewaySnapshot;
  /** How it goes, in a word: the worst that is true of any upstream. */
  status: StatusWord;
  /** The same as a sentence, with the figures and names that it rests on. */
  status_text: string;
  throughput: {
    /** Effective system throughput: output tokens per second over all requests and upstreams. */
    tokens_per_second: Record<ThroughputWindow, number | null>;
    /** The same ÷ the GPUs of the upstreams; null where none has `gpus` configured. */
    tokens_per_second_per_gpu: Record<ThroughputWindow, number | null> | null;
    /** What it came about under: two throughputs under unlike conditions do not compare. */
    conditions: Omit<ThroughputSnapshot, 'tokens_per_second'>;
  };
  /**
   * Quantiles of the per-user speed in output tokens per second (1 / TPOT), of requests that ended in the last
   * minute; low is bad. Null without samples.
   */
  user_speed: { p10: number; p50: number } | null;
  /** The same in characters, which compare across tokenizers. */
  user_characters_per_second: { p10: number; p50: number } | null;
  /** Quantiles of the speeds that `requests` tell, over all streams that decode now: there before the first has ended. */
  running_speed: { p10: number; p50: number } | null;
  /** Of the first tokens of the last minute. */
  ttft: { p50_ms: number; p95_ms: number } | null;
  /** Generations in flight by phase. */
  in_flight: { prefill: number; decode: number; unstreamed: number };
  /**
   * Generations in flight, at most 200 of them; `in_flight` counts all. First those that decode, the slowest first,
   * then those without a speed, the longest running first. Where there are more, each kind has half the room, and
   * what the other leaves.
   */
  requests: RequestSnapshot[];
  /** Finished requests since the start. */
  requests_total: number;
  upstreams: UpstreamSnapshot[];
  /** Of the users seen in the last hour, those with the most output tokens; `/api/users` has all. */
  users: UserSnapshot[];
  /** What failed of late, the newest first: at most ten of each outcome, so that many of one hide none of another. */
  failures: FailureSnapshot[];
  /** How many failed, by outcome; those that never happened are left out. */
  failure_counts: FailureCount[];
  /** One for each workload that has an SLO. */
  goodput: GoodputSnapshot[];
  /** What each workload that has an SLO is to keep, as configured. */
  slos: SloSnapshot[];
  /** Of all upstreams that have GPUs and a price, at the throughput of the last minute; null where none has. */
  cost: CostSnapshot | null;
  /** How much of what is shown is Pitot's own estimate. */
  estimated: EstimatedSnapshot;
  /**
   * Answers since the start that no upstream counted: by the local tokenizer, by it in part and the rest
   * extrapolated, or not, and then they fell back to the live estimate.
   */
  local_counts: Readonly<Record<LocalCountResult, number>>;
}

/**
 * `draining`: the gateway is shutting down. `upstream_down`: the last attempt at one failed. `below_floor`: there is
 * demand at one, and less throughput than its floor. `saturated`: at one are more requests at once than bring any more
 * throughput. `flowing`: requests are in flight. `idle`: none is.
 */
export type StatusWord = 'draining' | 'upstream_down' | 'below_floor' | 'saturated' | 'flowing' | 'idle';

export interface GatewaySnapshot {
  version: string;
  /** RFC 3339, UTC: another one is another process, and totals began anew. */
  started_at: string;
  /** Relaying processes. */
  workers: number;
  /** Upstream and load are made up here (`pitot demo`): to be said wherever figures are shown. */
  simulation: boolean;
}

/** Targets of a workload; null: it has none of that kind. A request is good when it is at most so slow, and at least so fast. */
export interface SloSnapshot {
  workload: string;
  ttft_ms: number | null;
  tpot_ms: number | null;
  /** Tokens per second. */
  speed: number | null;
  gap_ms: number | null;
  e2e_ms: number | null;
  /** The share of requests that should be good, 0 to 1. */
  objective: number;
}

export interface CostSnapshot {
  /** Null while nothing flows. */
  dollars_per_million_output_tokens: number | null;
  gpu_dollars_per_hour: number;
}

/** Shares from 0 to 1, by output tokens. */
export interface EstimatedSnapshot {
  /** Of requests that ended in the last minute: in answers that no upstream counted. Null where none had output. */
  finished: number | null;
  /** Of streams in flight: what is not yet the upstream's own running count. Null where none has output. */
  running: number | null;
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
