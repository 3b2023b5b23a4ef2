import type { Goodput } from './goodput.ts';
import type { QuantileHistory } from './quantile-history.ts';
import { rounded } from './spread.ts';
import type { PointSeries, Points } from './stream-type.ts';
import type { Throughput } from './throughput.ts';
import type { UpstreamView } from './upstream-view.ts';

const STEP_MS = 1_000;

export interface PointsParts {
  throughput: Throughput;
  upstreams: UpstreamView;
  /** p10 and p50 of the per-user speed. */
  speeds: QuantileHistory;
  /** p50 and p95 of TTFT, in milliseconds. */
  firstTokens: QuantileHistory;
  goodput: Goodput;
  /** Any workload has an SLO. */
  isJudged: () => boolean;
  /** GPUs by upstream, of those that have any. */
  gpus: () => ReadonlyMap<string, number>;
}

/** Seconds that are over. */
export interface PointRange {
  /** The first of them, by the monotonic clock. */
  from: number;
  count: number;
  /** When it began, in milliseconds since the Unix epoch. */
  startMs: number;
}

/**
 * What the charts show of some seconds, read from what is kept of them anyway: the cells of the last hour, sums and
 * quantiles.
 */
export function pointsOf(parts: PointsParts, { from, count, startMs }: PointRange): Points {
  return { start_ms: startMs, step_ms: STEP_MS, count, series: seriesOf(parts, from, count) };
}

function seriesOf(parts: PointsParts, from: number, count: number): PointSeries {
  const { throughput, upstreams, goodput } = parts;
  const phases = upstreams.bySecond(from, count);
  const [p10 = [], p50 = []] = parts.speeds.bySecond(from, count);
  const [ttftP50 = [], ttftP95 = []] = parts.firstTokens.bySecond(from, count);
  const good = parts.isJudged() ? goodput.bySecond(from, count) : null;
  const column = (values: Float64Array | null) =>
    values === null ? new Array<null>(count).fill(null) : Array.from(values, rounded);

  return {
    throughput: column(throughput.bySecond(null, from, count)),
    throughput_per_gpu: column(perGpu(parts, from, count)),
    prefill: column(phases.prefill),
    decode: column(phases.decode),
    unstreamed: column(phases.unstreamed),
    user_speed_p10: p10.map(roundedOrNull),
    user_speed_p50: p50.map(roundedOrNull),
    ttft_p50_ms: ttftP50.map(roundedOrNull),
    ttft_p95_ms: ttftP95.map(roundedOrNull),
    good_requests: column(good?.requests ?? null),
    good_tokens: column(good?.tokens ?? null),
  };
}

/** Only the tokens of upstreams whose GPUs are known are divided by them. */
function perGpu({ gpus, throughput }: PointsParts, from: number, count: number): Float64Array | null {
  const known = gpus();
  if (known.size === 0) return null;
  const all = [...known.values()].reduce((sum, one) => sum + one, 0);
  const tokens = new Float64Array(count);
  for (const upstream of known.keys())
    for (const [index, one] of throughput.bySecond(upstream, from, count).entries())
      tokens[index] = (tokens[index] ?? 0) + one / all;
  return tokens;
}

function roundedOrNull(value: number | null): number | null {
  return value === null ? null : rounded(value);
}
