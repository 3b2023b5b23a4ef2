import type { curvesJson } from '../../curve/curve-json.ts';

export type CurvesAnswer = ReturnType<typeof curvesJson>;
export type Curve = CurvesAnswer['curves'][number];

/** Less says nothing firm of a bin (CONTRACT §1). */
const FIRM_WINDOWS = 30;

/** Whose per-user speed is drawn over the throughput of an upstream, which is of all its models and workloads. */
export interface CurveSeries {
  upstream: string;
  model: string;
  workload: string;
}

export interface CurvePoint {
  concurrency: number;
  /** System throughput: median, and how windows spread. */
  throughput: number;
  throughputLow: number;
  throughputHigh: number;
  /** Per-user speed: median, and what 95 % had at least. */
  speed: number;
  speedLow: number;
  /** Seconds. */
  ttftP95: number | null;
  windows: number;
  isFirm: boolean;
}

/** What can be drawn: every series that ever had a speed, the one with the most requests first. */
export function curveSeries({ curves }: CurvesAnswer): CurveSeries[] {
  const seen = new Map<string, { series: CurveSeries; firstTokens: number }>();
  for (const { upstream, bins } of curves) {
    for (const { model, workload, speed, first_tokens: firstTokens } of bins.flatMap((bin) => bin.models)) {
      if (speed === null) continue;
      const key = seriesKey({ upstream, model, workload });
      const known = seen.get(key) ?? { series: { upstream, model, workload }, firstTokens: 0 };
      seen.set(key, { ...known, firstTokens: known.firstTokens + firstTokens });
    }
  }
  return [...seen.values()].sort((a, b) => b.firstTokens - a.firstTokens).map(({ series }) => series);
}

/** Names it in the address and in the choice. */
export function seriesKey({ upstream, model, workload }: CurveSeries): string {
  return [upstream, model, workload].join(' · ');
}

/** By rising concurrency; bins without a figure on either axis have no place. */
export function curvePoints(curve: Curve, { model, workload }: CurveSeries): CurvePoint[] {
  return curve.bins.flatMap(({ concurrency, throughput, windows, models }) => {
    const series = models.find((one) => one.model === model && one.workload === workload);
    if (throughput === null || series === undefined || series.speed === null) return [];
    return [
      {
        concurrency,
        throughput: throughput.p50,
        throughputLow: throughput.p5,
        throughputHigh: throughput.p95,
        speed: series.speed.p50,
        speedLow: series.speed.p5,
        ttftP95: series.ttft?.p95 ?? null,
        windows,
        isFirm: windows >= FIRM_WINDOWS,
      },
    ];
  });
}
