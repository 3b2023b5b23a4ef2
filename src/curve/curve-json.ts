import { rounded, spreadOf } from '../live/spread.ts';
import type { KnownCurve } from './curves.ts';
import { unlikeLengths } from './length-classes.ts';
import { type Fared, maxUnderAll, maxUnderSlo } from './max-under-slo.ts';
import type { CurveBin } from './operating-curve.ts';
import { saturation } from './saturation.ts';
import type { WorkloadTargets } from './targets.ts';

/** `/api/operating-curve` (CONTRACT §5): tokens per second, seconds, tokens. What is unknown is null. */
export function curvesJson(curves: readonly KnownCurve[], workloads: readonly WorkloadTargets[]) {
  return { curves: curves.map((curve) => curveJson(curve, workloads)) };
}

function curveJson({ upstream, conditions, gpus, bins }: KnownCurve, workloads: readonly WorkloadTargets[]) {
  const saturated = saturation(bins);
  return {
    upstream,
    conditions,
    gpus,
    /** What one process saw: all traffic of the upstream where no other stands beside it (CONTRACT §9). */
    scope: 'process',
    bins: bins.map(binJson),
    max_under_slo: maxJson(bins, workloads),
    /** From here on concurrency grows and throughput does not; null while it still grows where the data ends. */
    saturation: saturated === null ? null : pointJson(saturated),
    notes: unlikeLengths(bins),
  };
}

function binJson(bin: CurveBin) {
  return {
    ...pointJson(bin),
    models: bin.series.map((series) => ({
      model: series.model,
      workload: series.workload,
      speed: spreadOf(series.bins.speed),
      characters_per_second: spreadOf(series.bins.characters),
      ttft: spreadOf(series.bins.ttft, 1000),
      gap: spreadOf(series.bins.gap, 1000),
      input_tokens: spreadOf(series.bins.input),
      output_tokens: spreadOf(series.bins.output),
      first_tokens: Math.round(series.firstTokens),
    })),
  };
}

function pointJson(bin: CurveBin) {
  return { concurrency: bin.concurrency, throughput: spreadOf(bin.throughput), windows: Math.round(bin.windows) };
}

/** The most at which every workload keeps its targets, and what each of them alone would allow. Null where there is none. */
function maxJson(bins: readonly CurveBin[], workloads: readonly WorkloadTargets[]) {
  const best = maxUnderAll(bins, workloads);
  const alone = workloads.flatMap((targets) => {
    const allowed = maxUnderSlo(bins, targets);
    return allowed === null ? [] : [{ workload: targets.workload, ...faredJson(allowed) }];
  });
  return best === null ? null : { ...pointJson(best), workloads: alone };
}

function faredJson({ bin, firstTokens, ttftP95Ms, speedP5 }: Fared) {
  return {
    ...pointJson(bin),
    first_tokens: firstTokens,
    ttft_p95: ttftP95Ms === null ? null : rounded(ttftP95Ms / 1000),
    tpot_p95: speedP5 === null ? null : rounded(1 / speedP5),
  };
}
