import type { ReferencePrice } from '../cost/reference-price.ts';
import type { WorkloadTargets } from '../curve/targets.ts';
import { type RecordedMetrics, type Series, secondsOf } from './prometheus-api.ts';

/** What the configurations of the scraped Pitots say, as far as their metrics tell it. */
export interface RecordedSettings {
  targets: WorkloadTargets[];
  /** One after the other, the newest last; empty where there were none. */
  gpusOf: (upstream: string) => number[];
  priceOf: (upstream: string) => number[];
  referencePriceOf: (model: string) => ReferencePrice | null;
  conditionsOf: (upstream: string) => { conditions: Record<string, string>; replicas: number; isMixed: boolean };
}

/** The time in which settings are looked for: that of the curve. */
interface Reach {
  nowSeconds: number;
  lookBackSeconds: number;
  stepSeconds: number;
}

/** What was configured for less is not seen. */
const SHORTEST_SECONDS = 300;
/** Labels of `pitot_upstream_info` that are no conditions, beside those of the scraper. */
const NO_CONDITIONS: readonly string[] = ['__name__', 'upstream', 'engine', 'job', 'instance'];

/** `targetLabels`: those that the scraper adds. */
export async function recordedSettings(
  api: RecordedMetrics,
  reach: Reach,
  targetLabels: ReadonlySet<string>,
): Promise<RecordedSettings> {
  const noConditions = new Set([...NO_CONDITIONS, ...targetLabels]);
  const stepSeconds = Math.max(SHORTEST_SECONDS, reach.stepSeconds);
  const steps = {
    startSeconds: reach.nowSeconds - Math.floor(reach.lookBackSeconds / stepSeconds) * stepSeconds,
    endSeconds: reach.nowSeconds,
    stepSeconds,
  };
  const over = `[${stepSeconds}s]`;
  const values = (metric: string, labels: string) =>
    api.range(`max by (${labels}) (last_over_time(${metric}${over}))`, steps);
  const thresholds = await values('pitot_slo_threshold_seconds', 'workload, slo');
  const speeds = await values('pitot_slo_min_speed_tokens_per_second', 'workload');
  const gpus = await values('pitot_upstream_gpus', 'upstream');
  const prices = await values('pitot_gpu_price_dollars_per_hour', 'upstream');
  const reference = await values('pitot_reference_price_dollars_per_million_tokens', 'model, kind');
  const info = await api.range(`last_over_time(pitot_upstream_info${over})`, steps);
  const lastSeconds = Math.max(...info.map((one) => secondsOf(one, -1)));
  // What Pitot went on without was taken out of its configuration; what ended when it did was in it to the last.
  const isInForce = (target: Series) => !(secondsOf(target, -1) < lastSeconds);
  return {
    targets: targetsOf(thresholds.filter(isInForce), speeds.filter(isInForce)),
    gpusOf: (upstream) => changesOf(gpus, upstream),
    priceOf: (upstream) => changesOf(prices, upstream),
    referencePriceOf: (model) => referencePriceOf(reference.filter(({ labels }) => labels['model'] === model)),
    conditionsOf: (upstream) =>
      conditionsOf(
        info.filter(({ labels }) => labels['upstream'] === upstream),
        noConditions,
      ),
  };
}

/** The values that a setting of one upstream had, one after the other. */
function changesOf(series: readonly Series[], upstream: string): number[] {
  const points = series.find(({ labels }) => labels['upstream'] === upstream)?.points ?? [];
  return points.map(({ value }) => value).filter((value, index, all) => value !== all[index - 1]);
}

function newest({ points }: Series): number {
  return points.at(-1)?.value ?? Number.NaN;
}

function byLabel(series: readonly Series[], label: string): Map<string, number> {
  return new Map(series.map((one) => [one.labels[label] ?? '', newest(one)]));
}

function targetsOf(thresholds: readonly Series[], speeds: readonly Series[]): WorkloadTargets[] {
  const workloads = new Set([...thresholds, ...speeds].map(({ labels }) => labels['workload'] ?? ''));
  const threshold = (workload: string, slo: string) => {
    const found = thresholds.find(({ labels }) => labels['workload'] === workload && labels['slo'] === slo);
    return found === undefined ? null : newest(found);
  };
  const minSpeeds = byLabel(speeds, 'workload');
  return [...workloads]
    .map((workload) => {
      const ttft = threshold(workload, 'ttft');
      const tpot = threshold(workload, 'tpot');
      return {
        workload,
        ttftMs: ttft === null ? null : ttft * 1000,
        minSpeed: minSpeeds.get(workload) ?? (tpot === null ? null : 1 / tpot),
      };
    })
    .filter(({ ttftMs, minSpeed }) => ttftMs !== null || minSpeed !== null);
}

function referencePriceOf(kinds: readonly Series[]): ReferencePrice | null {
  if (kinds.length === 0) return null;
  const values = byLabel(kinds, 'kind');
  return {
    input: values.get('input') ?? null,
    cachedInput: values.get('cached_input') ?? values.get('input') ?? null,
    output: values.get('output') ?? null,
  };
}

function conditionsOf(
  info: readonly Series[],
  noConditions: ReadonlySet<string>,
): ReturnType<RecordedSettings['conditionsOf']> {
  // The newest first: seen last and, of those that are seen still, begun last.
  const byAge = info.toSorted((a, b) => secondsOf(b, -1) - secondsOf(a, -1) || secondsOf(b, 0) - secondsOf(a, 0));
  const labelled = byAge.map(({ labels }) =>
    Object.fromEntries(Object.entries(labels).filter(([name]) => !noConditions.has(name))),
  );
  const distinct = new Set(labelled.map((conditions) => JSON.stringify(Object.entries(conditions).sort())));
  return { conditions: labelled[0] ?? {}, replicas: mostAtOnce(info), isMixed: distinct.size > 1 };
}

/** How many Pitots ran at the same time: those that took the place of others are none beside them, though one step may see both. */
function mostAtOnce(info: readonly Series[]): number {
  const byTime = new Map<number, Set<string>>();
  for (const { labels, points } of info) {
    for (const { atSeconds } of points) {
      const there = byTime.get(atSeconds) ?? new Set();
      byTime.set(atSeconds, there.add(`${labels['job']}\n${labels['instance']}`));
    }
  }
  const there = [...byTime].sort(([a], [b]) => a - b).map(([, pitots]) => pitots);
  const stayed = there.slice(1).map((pitots, index) => [...pitots].filter((pitot) => there[index]?.has(pitot)).length);
  return there.length === 1 ? (there[0]?.size ?? 0) : Math.max(0, ...stayed);
}
