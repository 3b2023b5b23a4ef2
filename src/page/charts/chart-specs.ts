import type { SloSnapshot } from '../../live/snapshot-type.ts';
import type { SeriesName } from '../state/timeline.ts';
import type { ChartName } from '../state/view-query.ts';
import { rate } from '../text/format.ts';
import { duration } from '../text/time.ts';

/** Colours by meaning; styles/colours.css has them for both themes. */
export type Ink = 'throughput' | 'speed' | 'speed-low' | 'ttft' | 'ttft-high' | 'prefill' | 'decode' | 'unstreamed';

export interface LineSpec {
  series: SeriesName;
  label: string;
  ink: Ink;
  isDashed?: boolean;
}

export interface ChartSpec {
  name: ChartName;
  title: string;
  /** What the figures are of, for the heading; the unit is part of it. */
  about: string;
  lines: readonly LineSpec[];
  /** `stack`: parts of one whole, the first at the bottom; `band`: the span between the two lines is shaded. */
  shape: 'area' | 'band' | 'stack';
  text: (value: number | null) => string;
  /** For sentences: what a figure is followed by. */
  unit: string;
  /** What the SLO of a workload asks of it; null where it asks nothing. */
  targetOf?: (slo: SloSnapshot) => number | null;
}

/** The least speed that an SLO allows: TPOT and speed say the same thing twice. */
export function leastSpeed({ speed, tpot_ms: tpotMs }: Pick<SloSnapshot, 'speed' | 'tpot_ms'>): number | null {
  return speed ?? (tpotMs === null || tpotMs <= 0 ? null : 1_000 / tpotMs);
}

/** On one time axis, from what the system gives to what each user gets of it. */
export const CHART_SPECS: readonly ChartSpec[] = [
  {
    name: 'throughput',
    title: 'System throughput',
    about: 'tokens per second',
    lines: [{ series: 'throughput', label: 'all requests', ink: 'throughput' }],
    shape: 'area',
    text: rate,
    unit: ' tokens per second',
  },
  {
    name: 'speed',
    title: 'Per-user speed',
    about: 'tokens per second of one request, last minute',
    lines: [
      { series: 'user_speed_p50', label: 'median', ink: 'speed' },
      { series: 'user_speed_p10', label: 'slowest tenth below', ink: 'speed-low', isDashed: true },
    ],
    shape: 'band',
    text: rate,
    unit: ' tokens per second',
    targetOf: leastSpeed,
  },
  {
    name: 'ttft',
    title: 'Time to first token',
    about: 'last minute',
    lines: [
      { series: 'ttft_p95_ms', label: 'p95', ink: 'ttft-high', isDashed: true },
      { series: 'ttft_p50_ms', label: 'p50', ink: 'ttft' },
    ],
    shape: 'band',
    text: duration,
    unit: '',
    targetOf: ({ ttft_ms: ttftMs }) => ttftMs,
  },
  {
    name: 'concurrency',
    title: 'Concurrency',
    about: 'generations in flight, by phase',
    lines: [
      { series: 'decode', label: 'decode', ink: 'decode' },
      { series: 'unstreamed', label: 'unstreamed', ink: 'unstreamed' },
      { series: 'prefill', label: 'prefill', ink: 'prefill' },
    ],
    shape: 'stack',
    text: rate,
    unit: ' in flight',
  },
];
