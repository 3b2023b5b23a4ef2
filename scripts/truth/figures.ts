import type { RecordErrors } from './records.ts';

/** What one case came to. Errors are relative: what was said ÷ what was true − 1. */
export interface CaseFigures {
  readonly name: string;
  readonly load: number;
  readonly users: number;
  /** Really written per second while it was measured. */
  readonly tokensPerSecond: number;
  readonly goal: { readonly reach: number; readonly fail: number } | null;
  readonly live1s: Errors;
  readonly live10s: Errors;
  /** The counter's rate between the first and the last scrape. */
  readonly counterRate: number;
  readonly inFlight: Errors;
  /** The mean of each histogram over the whole case. */
  readonly ttftMean: number | null;
  readonly tpotMean: number | null;
  readonly gapMean: number | null;
  /** At rest in the end: counter less withheld, less what was written, in tokens. */
  readonly tokensOff: number;
  readonly records: RecordErrors;
  readonly relayDelayP50Ms: number | null;
  readonly relayDelayP99Ms: number | null;
  readonly loopLagP99Ms: number | null;
  /** Of one core, by all threads of the gateway. */
  readonly cpuShare: number;
  readonly scrapeMs: number;
  readonly clientBlockedSeconds: number;
  readonly upstreamLateP99Ms: number | null;
}

/** The middle one and the largest, without their sign. */
export interface Errors {
  readonly median: number;
  readonly largest: number;
}

/** All of a run, as it is kept. */
export interface TruthRun {
  readonly time: string;
  readonly machine: { readonly cores: number; readonly cpu: string; readonly kernel: string; readonly node: string };
  /** Tokens (and events) per second at which one worker had used up its core. */
  readonly saturation: number;
  /** Length of the measured stretch of each case. */
  readonly seconds: number;
  readonly cases: readonly CaseFigures[];
}

/** The error that a case is judged by: the largest of all readings of the 10 s gauge. Null where none is. */
export function verdictOf({ goal, live10s }: CaseFigures): 'reached' | 'missed' | 'failed' | null {
  if (goal === null) return null;
  if (live10s.largest <= goal.reach) return 'reached';
  return live10s.largest <= goal.fail ? 'missed' : 'failed';
}
