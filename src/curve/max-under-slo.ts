import type { KnownCurve } from './curves.ts';
import type { CurveBin } from './operating-curve.ts';
import { pooled, type SeriesFigures } from './series-figures.ts';
import type { Targets, WorkloadTargets } from './targets.ts';

/** Less says nothing of a bin (CONTRACT §1). */
export const LEAST_WINDOWS = 30;
export const LEAST_FIRST_TOKENS = 200;

/** A value on the edge of two bins may be put into the lower one by the arithmetic. */
const ON_THE_EDGE = 1e-9;

/** How requests fared in a bin, pooled over all its windows: a quantile of all, never a mean of quantiles. */
export interface Fared {
  bin: CurveBin;
  firstTokens: number;
  ttftP95Ms: number | null;
  /** Speed that 95 % of the requests had at least. */
  speedP5: number | null;
  /** `thin`: too few windows or first tokens to tell. */
  verdict: 'met' | 'missed' | 'thin';
}

/** `of`: the requests that the targets are about. */
export function fared(bin: CurveBin, targets: Targets, of: (series: SeriesFigures) => boolean): Fared {
  const series = bin.series.filter(of);
  const firstTokens = Math.round(series.reduce((sum, one) => sum + one.firstTokens, 0));
  const ttftP95 = pooled(series, 'ttft').quantileBin(0.95);
  const speedP5 = pooled(series, 'speed').quantileBin(0.05);
  const isThin = !hasEnoughWindows(bin) || firstTokens < LEAST_FIRST_TOKENS;
  // Values are known to 1 %: what may be exactly at its target is, for ≤ is good (CONTRACT §6.9).
  const isMet =
    (targets.ttftMs === null || (ttftP95 !== null && ttftP95.from <= targets.ttftMs * (1 + ON_THE_EDGE))) &&
    (targets.minSpeed === null || (speedP5 !== null && speedP5.to >= targets.minSpeed * (1 - ON_THE_EDGE)));
  return {
    bin,
    firstTokens,
    ttftP95Ms: ttftP95?.middle ?? null,
    speedP5: speedP5?.middle ?? null,
    verdict: isThin ? 'thin' : isMet ? 'met' : 'missed',
  };
}

/** Windows fade by the minute, and thirty of them are thirty. */
export function hasEnoughWindows(bin: CurveBin): boolean {
  return Math.round(bin.windows) >= LEAST_WINDOWS;
}

/** The bin with the highest median throughput: a single lucky window counts for nothing. Null where most windows of each had no token. */
export function highest<Of extends Pick<Fared, 'bin'>>(points: readonly Of[]): Of | null {
  let best: Of | null = null;
  for (const point of points) if (median(point.bin) > (best === null ? 0 : median(best.bin))) best = point;
  return best;
}

export function median({ throughput }: CurveBin): number {
  return throughput.quantile(0.5) ?? 0;
}

/** Max throughput under SLO of one workload, pooled over its models (CONTRACT §1): the highest bin that meets its targets. */
export function maxUnderSlo(bins: readonly CurveBin[], targets: WorkloadTargets): Fared | null {
  return highest(bins.map((bin) => faredBy(bin, targets)).filter(({ verdict }) => verdict === 'met'));
}

/** The highest bin in which every workload keeps its targets, of those that had enough requests anywhere to tell. */
export function maxUnderAll(bins: readonly CurveBin[], workloads: readonly WorkloadTargets[]): CurveBin | null {
  const told = workloads.filter((targets) => bins.some((bin) => faredBy(bin, targets).verdict !== 'thin'));
  if (told.length === 0) return null;
  const kept = bins.filter((bin) => told.every((targets) => faredBy(bin, targets).verdict === 'met'));
  return highest(kept.map((bin) => ({ bin })))?.bin ?? null;
}

function faredBy(bin: CurveBin, targets: WorkloadTargets): Fared {
  return fared(bin, targets, ({ workload }) => workload === targets.workload);
}

/** One series of the gauges of max throughput under SLO. */
export interface AllowedBySlo {
  upstream: string;
  workload: string;
  tokensPerSecond: number;
  concurrency: number;
}

export function allowedBySlo(curves: readonly KnownCurve[], workloads: readonly WorkloadTargets[]): AllowedBySlo[] {
  return curves.flatMap(({ upstream, bins }) =>
    workloads.flatMap((targets) => {
      const bin = maxUnderSlo(bins, targets)?.bin;
      if (bin === undefined) return [];
      return [{ upstream, workload: targets.workload, tokensPerSecond: median(bin), concurrency: bin.concurrency }];
    }),
  );
}
