import { unlikeLengths } from '../curve/length-classes.ts';
import { highest, LEAST_WINDOWS } from '../curve/max-under-slo.ts';
import type { CurveBin } from '../curve/operating-curve.ts';
import { saturation } from '../curve/saturation.ts';
import type { SeriesFigures } from '../curve/series-figures.ts';
import { interactiveOf } from './interactive.ts';
import { operatingPoint } from './operating-point.ts';
import type { Asked, ObservedUpstream, Plan, PlanAsk } from './plan-types.ts';
import { usableBins } from './usable-bins.ts';

/** For each upstream and model that made tokens there: what the tokens asked for need, at an operating point that was observed. */
export function plansFor(upstreams: readonly ObservedUpstream[], ask: PlanAsk): Plan[] {
  return upstreams.flatMap((observed) => {
    const models = new Set([...modelsOf(observed.bins), ...(observed.modelsBeside ?? [])]);
    return [...models].sort().map((model) => planFor(model, { observed, ask }));
  });
}

function modelsOf(bins: readonly CurveBin[]): string[] {
  const generating = bins.flatMap(({ series }) => series.filter(hasOutput));
  return [...new Set(generating.map(({ model }) => model))].sort();
}

/** Embeddings have input alone. */
function hasOutput({ firstTokens, sums, bins }: SeriesFigures): boolean {
  return firstTokens > 0 || sums.output > 0 || (bins.output.quantile(1) ?? 0) > 0;
}

function planFor(model: string, asked: Asked): Plan {
  const { observed } = asked;
  const seen = observed.bins.filter(({ series }) => series.some((one) => one.model === model));
  const { usable: bins, refused } = usableBins(seen);
  const interactive = interactiveOf(model, bins, asked);
  const fastest = highest(bins.map((bin) => ({ bin })))?.bin ?? null;
  const pointAt = (bin: CurveBin | null) => (bin === null ? null : operatingPoint(bin, model, asked));
  const sentences = [
    reachOf(seen),
    ...refused,
    interactive.reason,
    batchReason(bins, fastest),
    ...sharedWith(model, observed.bins),
    ...cameTogether(observed.gpus),
    ...(observed.gpus === null ? ['gpus is not configured for this upstream, so nothing can be said per GPU'] : []),
    ...(observed.gpus !== null && observed.gpuPricePerHour === null ? ['gpu_price_per_hour is not configured'] : []),
    ...unlikeLengths(bins),
    ...observed.notes,
  ];
  return {
    upstream: observed.upstream,
    model,
    interactive: pointAt(interactive.bin),
    batch: pointAt(fastest),
    reason: sentences.join('; '),
  };
}

function reachOf(bins: readonly CurveBin[]): string {
  const [first] = bins;
  const last = bins.at(-1);
  if (first === undefined || last === undefined) return 'nothing was observed that a plan could rest on';
  const windows = Math.round(bins.reduce((sum, bin) => sum + bin.windows, 0));
  const reach =
    first === last ? `concurrency ${first.concurrency}` : `concurrency ${first.concurrency} to ${last.concurrency}`;
  return `observed at ${reach} (${windows} windows)`;
}

function batchReason(bins: readonly CurveBin[], fastest: CurveBin | null): string {
  if (fastest === null) return 'batch: no concurrency was observed that a plan could rest on';
  const windows = Math.round(fastest.windows);
  const rests = windows < LEAST_WINDOWS ? `, which rests on ${windows} windows only` : '';
  const saturated = saturation(bins);
  if (saturated !== null && rests === '')
    return `batch: throughput grows no more from concurrency ${saturated.concurrency} on`;
  if (bins.length === 1)
    return `batch: concurrency ${fastest.concurrency} alone was observed${rests}: whether more brings more is not known`;
  return fastest === bins.at(-1)
    ? `batch: throughput still grows at ${fastest.concurrency}, the highest concurrency observed${rests}: how much more is possible is not known`
    : `batch: throughput is highest at ${fastest.concurrency}${rests}`;
}

function cameTogether(gpus: number | null): string[] {
  return gpus === null || gpus <= 1
    ? []
    : [`the GPUs of this upstream come ${gpus} at a time, so many are added at once`];
}

function sharedWith(model: string, bins: readonly CurveBin[]): string[] {
  const others = modelsOf(bins).filter((other) => other !== model);
  return others.length === 0 ? [] : [`throughput is that of all models on this upstream, ${others.join(', ')} too`];
}
