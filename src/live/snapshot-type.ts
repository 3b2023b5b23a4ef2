import type { LocalCountResult } from '../meter/local-counting.ts';

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
  };
  /** Quantiles of the per-user speed in output tokens per second; low is bad. Null without samples. */
  user_speed: { p10: number; p50: number } | null;
  ttft: { p50_ms: number; p95_ms: number } | null;
  /** Generations in flight by phase. */
  in_flight: { prefill: number; decode: number; unstreamed: number };
  /** Finished requests since the start. */
  requests_total: number;
  upstreams: UpstreamSnapshot[];
  /**
   * Answers since the start that no upstream counted: by the local tokenizer, by it in part and the rest
   * extrapolated, or not, and then they fell back to the live estimate.
   */
  local_counts: Readonly<Record<LocalCountResult, number>>;
  /** `flowing` while any request is in flight. */
  status: 'idle' | 'flowing';
}

export interface UpstreamSnapshot {
  name: string;
  /** Null before the first attempt. */
  up: boolean | null;
  in_flight: number;
  /** Effective throughput over the last 10 s. */
  tokens_per_second: number | null;
}
