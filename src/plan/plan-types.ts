import type { ReferencePrice } from '../cost/reference-price.ts';
import type { CurveBin } from '../curve/operating-curve.ts';
import type { WorkloadTargets } from '../curve/targets.ts';
import type { Spread } from '../live/spread.ts';

/** What is asked: so many output tokens a day, and a TTFT that 95 % of the requests must keep; null: as the workloads have it. */
export interface PlanAsk {
  tokensPerDay: number;
  ttftSloSeconds: number | null;
}

/** What is known of one upstream, from live windows or from recorded counters. */
export interface ObservedUpstream {
  upstream: string;
  conditions: Readonly<Record<string, string>>;
  gpus: number | null;
  /** Dollars for one GPU and hour. */
  gpuPricePerHour: number | null;
  bins: readonly CurveBin[];
  /** Models that made tokens of which it cannot be said at which concurrency. */
  modelsBeside?: readonly string[];
  targets: readonly WorkloadTargets[];
  priceOf: (model: string) => ReferencePrice | null;
  /** What the reader must know of how it was observed, in sentences. */
  notes: readonly string[];
}

export interface Asked {
  observed: ObservedUpstream;
  ask: PlanAsk;
}

/** One way to run it: a bin of the operating curve, and what it comes to for the tokens asked for. Dollars and GPUs are null where not configured. */
export interface OperatingPoint {
  /** Generations in flight on the upstream. */
  concurrency: number;
  /** Windows the bin was learned from. */
  windows: number;
  tokens_per_second: number;
  tokens_per_second_per_gpu: number | null;
  /** Whole GPUs, and before rounding up. */
  gpus: number | null;
  gpus_exact: number | null;
  gpu_hours_per_day: number | null;
  /** For the GPU-hours needed, and for the whole GPUs all day. */
  dollars_per_day: number | null;
  dollars_per_day_whole_gpus: number | null;
  dollars_per_million_output_tokens: number | null;
  /** The same tokens at the reference price, with the input that came with them; null without a price. */
  reference_dollars_per_day: number | null;
  input_tokens_per_output_token: number | null;
  /** Seconds; null where nothing was streamed. */
  ttft_p95: number | null;
  input_tokens: Spread | null;
  output_tokens: Spread | null;
  conditions: Readonly<Record<string, string>>;
}

export interface Plan {
  upstream: string;
  model: string;
  /** At max throughput under SLO. */
  interactive: OperatingPoint | null;
  /** At the highest median throughput, however long the waits. */
  batch: OperatingPoint | null;
  /** How far the data reaches, and why there is no more. */
  reason: string;
}
