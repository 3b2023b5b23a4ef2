import type { ReferencePrice } from '../cost/reference-price.ts';
import type { WorkloadTargets } from '../curve/targets.ts';
import type { PrometheusApi, Series } from './prometheus-api.ts';

/** What the configurations of the scraped Pitots say, as far as their metrics tell it. */
export interface RecordedSettings {
  targets: WorkloadTargets[];
  gpusOf: ReadonlyMap<string, number>;
  priceOf: ReadonlyMap<string, number>;
  referencePriceOf: (model: string) => ReferencePrice | null;
  conditionsOf: (upstream: string) => { conditions: Record<string, string>; replicas: number; isMixed: boolean };
}

/** A Pitot that was scraped within this time says how it is configured. */
const LATELY = '6h';
/** Labels of `pitot_upstream_info` that are no conditions; others that a scraper adds cannot be told from conditions. */
const NO_CONDITIONS = new Set(['__name__', 'upstream', 'engine', 'job', 'instance']);

export async function recordedSettings(api: PrometheusApi): Promise<RecordedSettings> {
  const latest = (metric: string, labels: string) =>
    api.query(`max by (${labels}) (last_over_time(${metric}[${LATELY}]))`);
  const thresholds = await latest('pitot_slo_threshold_seconds', 'workload, slo');
  const speeds = await latest('pitot_slo_min_speed_tokens_per_second', 'workload');
  const gpus = await latest('pitot_upstream_gpus', 'upstream');
  const prices = await latest('pitot_gpu_price_dollars_per_hour', 'upstream');
  const reference = await latest('pitot_reference_price_dollars_per_million_tokens', 'model, kind');
  const info = await api.query(`last_over_time(pitot_upstream_info[${LATELY}])`);
  return {
    targets: targetsOf(thresholds, speeds),
    gpusOf: byLabel(gpus, 'upstream'),
    priceOf: byLabel(prices, 'upstream'),
    referencePriceOf: (model) => referencePriceOf(reference.filter(({ labels }) => labels['model'] === model)),
    conditionsOf: (upstream) => conditionsOf(info.filter(({ labels }) => labels['upstream'] === upstream)),
  };
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

function conditionsOf(info: readonly Series[]): ReturnType<RecordedSettings['conditionsOf']> {
  const labelled = info.map(({ labels }) =>
    Object.fromEntries(Object.entries(labels).filter(([name]) => !NO_CONDITIONS.has(name))),
  );
  const replicas = new Set(info.map(({ labels }) => `${labels['job']}\n${labels['instance']}`)).size;
  const distinct = new Set(labelled.map((conditions) => JSON.stringify(Object.entries(conditions).sort())));
  return { conditions: labelled[0] ?? {}, replicas, isMixed: distinct.size > 1 };
}
