import type { GapBins } from './gaps.ts';
import type { SeriesLabels } from './live-account.ts';
import type { UsageRecord } from './record.ts';

/** What a finished request hands to its sinks (metrics, usage log, live windows). Frozen. */
export interface FinishedRequest {
  readonly record: Readonly<UsageRecord>;
  readonly labels: SeriesLabels;
  /** When it ended, in monotonic milliseconds; its record may follow by as long as it takes to count. */
  readonly endMs: number;
  /** The request asked a model for output: it has phases, a usage source and token counts. */
  readonly generation: boolean;
  /** Gaps between output chunks; null when there were none. */
  readonly gaps: GapBins | null;
  /** The client's socket was full for over 5 % of the decode time: out of TPOT, gaps, curves and SLOs (CONTRACT §6.10). */
  readonly slowClient: boolean;
  /** The user as a label value before capping; null without identity. */
  readonly user: string | null;
}

export type FinishedSink = (finished: FinishedRequest) => void;

/** A streamed answer's first token came: TTFT is told at once, not when the stream ends. */
export type FirstTokenSink = (labels: SeriesLabels, ttftMs: number) => void;
