import type { Snapshot } from './snapshot-type.ts';

/**
 * What `/api/stream` sends (CONTRACT §5), as server-sent events with `id`, `event` and one line of `data`:
 *
 * 1. `history`, first: the last fifteen minutes (`HistoryEvent`). After a break, where `Last-Event-ID` is of this
 *    process and not too old, only the points that were missed. A watcher that had fallen behind gets one in between.
 * 2. `snapshot`, once a second (`SnapshotEvent`): the moment, and the points that have become known since the event
 *    before it.
 *
 * Points always continue where the event before left off: a page appends them, and begins anew with those of a
 * `history` whose `is_whole` is true. Where there is nothing to send, a comment says that the connection lives. The
 * stream wants the token like all of `/api` (so it is read with `fetch`; `EventSource` sends no header); 503 with
 * `{"error": sentence}` and `retry-after` when there are too many watchers.
 */
export interface StreamEvents {
  history: HistoryEvent;
  snapshot: SnapshotEvent;
}

export interface HistoryEvent extends Points {
  /** All that is known, and not the sequel of what came before. */
  is_whole: boolean;
}

export interface SnapshotEvent extends Snapshot {
  points: Points;
}

/** Points in time at equal steps, one value of every series for each. */
export interface Points {
  /** When the interval of the first point began, in milliseconds since the Unix epoch. */
  start_ms: number;
  /** The interval of each point, in milliseconds. */
  step_ms: number;
  /** How many there are: the length of every array. */
  count: number;
  series: PointSeries;
}

/**
 * Columns of numbers. Null is unknown: nothing was measured. `throughput` 0 is a second in which nothing came. Before
 * the start of the gateway there are no points.
 */
export interface PointSeries {
  /** Output tokens per second in the interval. */
  throughput: (number | null)[];
  /** Of the upstreams with `gpus`, ÷ their GPUs as configured now; null throughout where none has. */
  throughput_per_gpu: (number | null)[];
  /** Mean generations in flight in the interval. */
  prefill: (number | null)[];
  decode: (number | null)[];
  unstreamed: (number | null)[];
  /** Tokens per second, of requests that ended in the minute before the end of the interval. */
  user_speed_p10: (number | null)[];
  user_speed_p50: (number | null)[];
  /** Of first tokens in the same minute. */
  ttft_p50_ms: (number | null)[];
  ttft_p95_ms: (number | null)[];
  /** Requests and tokens per second that met every SLO, in the same minute; null throughout where no workload has one. */
  good_requests: (number | null)[];
  good_tokens: (number | null)[];
}
