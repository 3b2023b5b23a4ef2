import type { UpstreamCost } from '../cost/upstream-cost.ts';
import type { Spread } from './spread.ts';

/** Mean generations in flight over the last 10 s, by phase. */
interface ConcurrencySnapshot {
  total: number;
  prefill: number;
  decode: number;
  unstreamed: number;
}

/** A throughput and the conditions without which it says little (CONTRACT §1): how many at once, and how long. */
export interface ThroughputSnapshot {
  /** Effective throughput over the last 10 s. */
  tokens_per_second: number;
  /** Input that was read in the last minute ÷ the minute, of requests that have ended. */
  input_tokens_per_second: number;
  concurrency: ConcurrencySnapshot;
  /** Lengths of the requests that ended in the last minute. */
  input_tokens: Spread | null;
  output_tokens: Spread | null;
}

export interface ModelSnapshot extends ThroughputSnapshot {
  model: string;
  /** Throughput ÷ the part of the 10 s in which something was decoding or unstreamed; null when nothing was. */
  active_tokens_per_second: number | null;
  /** Of the requests that ended in the last minute. */
  speed: Spread | null;
  ttft_ms: Spread | null;
  tpot_ms: Spread | null;
  longest_gap_ms: Spread | null;
}

/** How far an upstream is above or below the throughput it must not fall below, over the last minute. */
export interface FloorSnapshot {
  output_tokens_per_second: number;
  min_concurrency: number;
  objective: number;
  /** Concurrency was at least `min_concurrency`: only then does the floor count. */
  has_demand: boolean;
  /** Throughput ÷ floor; null without demand. */
  share: number | null;
}

export interface MaxUnderSloSnapshot {
  workload: string;
  tokens_per_second: number;
  concurrency: number;
}

/**
 * `down`: the last attempt failed. `below_floor`: there is demand, and less throughput than the floor.
 * `saturated`: more requests at once than bring any more throughput.
 */
export type UpstreamState = 'down' | 'below_floor' | 'saturated' | 'flowing' | 'idle';

export interface UpstreamSnapshot extends ThroughputSnapshot {
  name: string;
  /** Null before the first attempt. */
  up: boolean | null;
  state: UpstreamState;
  in_flight: number;
  /** As configured: what a throughput must not be compared without. */
  conditions: Readonly<Record<string, string>>;
  gpus: number | null;
  /** Null without `gpus`. */
  tokens_per_second_per_gpu: number | null;
  models: ModelSnapshot[];
  floor: FloorSnapshot | null;
  /** Max throughput under SLO by workload (CONTRACT §1), as observed so far; empty where nothing can be said yet. */
  max_under_slo: MaxUnderSloSnapshot[];
  /** From this concurrency on throughput grows no more; null where that was not observed. */
  saturation_concurrency: number | null;
  /** Since the start, in dollars; null without GPUs or their price. */
  cost: UpstreamCost | null;
}
