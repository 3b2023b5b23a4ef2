import type { Machine } from '../bench/machine.ts';

/** Times in milliseconds, speeds and throughputs in tokens per second. */
export interface Distribution {
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
}

/** What one side says of the requests of one step. */
export interface Side {
  readonly requests: number;
  readonly outputTokens: number;
  /** First request to last token, in seconds, by the side's own clock. */
  readonly seconds: number;
  /** Output tokens of all requests by those seconds; the tool's as it stands in its own table. */
  readonly throughput: number;
  readonly ttftMs: Distribution;
  /** The tool calls it inter-token latency. */
  readonly tpotMs: Distribution;
  /** Of each request 1 ÷ TPOT. */
  readonly userSpeed: Distribution;
}

/** Growth of `/metrics` over a step. Means are sum by count. */
export interface Counted {
  readonly outputTokens: number;
  readonly busySeconds: number;
  readonly ttftMeanMs: number | null;
  readonly tpotMeanMs: number | null;
  readonly userSpeedMean: number | null;
}

/** The tool's figure less Pitot's, request by request. */
export interface Difference {
  readonly p50: number;
  readonly p99: number;
}

export interface StepFigures {
  readonly concurrency: number;
  readonly tool: Side;
  /** Tokens that the engine reported to the tool, as the tool noted it; its own table counts text with its tokenizer. */
  readonly reportedTokens: number;
  readonly pitot: Side;
  readonly counted: Counted;
  /** Requests of the tool without a usage record. That Pitot counted no others is what the counter says. */
  readonly unmatched: number;
  /** Requests of which Pitot recorded another count than the engine reported to the tool. */
  readonly miscounted: number;
  readonly ttftDifferenceMs: Difference;
  readonly decodeDifferenceMs: Difference;
}

/** Windows with about so much in flight: how many, and the medians of what was measured in them. */
export interface BinFigures {
  readonly windows: number;
  readonly throughput: number | null;
  readonly userSpeed: number | null;
  readonly ttftMs: number | null;
}

/** A bin of `/api/operating-curve`, and what the tool's times of every chunk make of the same windows. */
export interface CurvePoint {
  readonly concurrency: number;
  readonly pitot: BinFigures;
  readonly tool: BinFigures | null;
}

/** All of a sweep, as it is kept. */
export interface Sweep {
  readonly time: string;
  readonly machine: Machine;
  /** What answered, and how it was set. */
  readonly engine: string;
  readonly tool: string;
  readonly pitot: string;
  /** In which the tool began new requests, in each step. */
  readonly seconds: number;
  /** Tokens of prompt and answer that the tool asked for: mean ± standard deviation. */
  readonly lengths: { readonly input: string; readonly output: string };
  readonly steps: readonly StepFigures[];
  readonly curve: readonly CurvePoint[];
}
