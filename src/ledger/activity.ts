import type { Phase } from '../meter/record.ts';

/**
 * What the ledger tells of one upstream and model as it happens, for those that remember the last
 * minutes. Tokens are what was truly emitted, whatever the counter still has to absorb.
 */
export interface ModelActivity {
  tokens(count: number, atMs: number): void;
  /** Tokens (below 0: a correction) that belong evenly to an interval of the past. */
  spread(count: number, fromMs: number, toMs: number): void;
  /** A generation was decoding or unstreamed in this interval of the past, and belongs here after all. */
  worked(fromMs: number, toMs: number): void;
  /** A generation enters (`from` null), changes or leaves (`to` null) a phase. */
  phase(from: Phase | null, to: Phase | null, atMs: number): void;
}

/** A generation enters (`from` null), changes or leaves (`to` null) a phase, whether or not its model is confirmed yet. */
export interface PhaseMove {
  upstream: string;
  from: Phase | null;
  to: Phase | null;
  atMs: number;
  /** When it entered its first phase. */
  beganMs: number;
}

export type ActivityFactory = (upstream: string, model: string) => ModelActivity;
