import type { ObservedUpstream } from './plan-types.ts';
import type { RecordedMetrics, Steps } from './prometheus-api.ts';
import { ANSWERS_A_RUN, RecordedCurve } from './recorded-curve.ts';
import { type RecordedSettings, recordedSettings } from './recorded-settings.ts';
import { recordedSteps } from './recorded-steps.ts';
import { scrapingOf } from './scraping.ts';
import { WholeSteps } from './whole-steps.ts';

/** Long enough for a day's chat and a night's batch. */
const LOOK_BACK_SECONDS = 24 * 3_600;
/** Of one query. Prometheus refuses more than 11,000; histograms of so many are megabytes already. */
const STEPS_A_QUERY = 1_500;

/**
 * The same curves as from live windows, from recorded counters summed over all replicas: throughput and
 * concurrency by their rates over steps, TTFT and speed from histogram buckets, pooled over the steps of a bin.
 * Rejects with a PlanFault.
 */
export async function observedByPrometheus(api: RecordedMetrics, nowSeconds: number): Promise<ObservedUpstream[]> {
  const { stepSeconds, targetLabels, notes } = await scrapingOf(api);
  const reach = { nowSeconds, lookBackSeconds: LOOK_BACK_SECONDS, stepSeconds };
  const settings = await recordedSettings(api, reach, targetLabels);
  const whole = new WholeSteps(stepSeconds);
  for (const steps of chunks(nowSeconds, stepSeconds)) await whole.ask(api, steps);
  const curves = new Map<string, RecordedCurve>();
  for (const steps of chunks(nowSeconds, stepSeconds)) {
    for (const [upstream, byTime] of await recordedSteps(api, steps)) {
      const curve = curves.get(upstream) ?? new RecordedCurve(stepSeconds);
      curves.set(upstream, curve);
      for (const [atSeconds, step] of [...byTime].sort(([a], [b]) => a - b)) {
        if (whole.has(upstream, atSeconds)) curve.take({ atSeconds, step });
        else curve.leaveOut(step);
      }
    }
  }
  for (const curve of curves.values()) curve.close();
  const found = { settings, nowSeconds, stepSeconds, notes };
  return [...curves].map(([upstream, curve]) => observedOf({ upstream, curve, ...found }));
}

function* chunks(nowSeconds: number, stepSeconds: number): Generator<Steps> {
  const last = Math.floor(nowSeconds / stepSeconds) * stepSeconds;
  const first = last - Math.floor(LOOK_BACK_SECONDS / stepSeconds) * stepSeconds;
  for (let start = first; start <= last; start += STEPS_A_QUERY * stepSeconds) {
    const end = Math.min(last, start + (STEPS_A_QUERY - 1) * stepSeconds);
    yield { startSeconds: start, endSeconds: end, stepSeconds };
  }
}

interface Found {
  upstream: string;
  curve: RecordedCurve;
  settings: RecordedSettings;
  nowSeconds: number;
  stepSeconds: number;
  notes: readonly string[];
}

function observedOf({ upstream, curve, settings, nowSeconds, stepSeconds, notes }: Found): ObservedUpstream {
  const { conditions, replicas, isMixed } = settings.conditionsOf(upstream);
  const { gpus, price } = { gpus: settings.gpusOf(upstream), price: settings.priceOf(upstream) };
  return {
    upstream,
    conditions,
    gpus: gpus.at(-1) ?? null,
    gpuPricePerHour: price.at(-1) ?? null,
    bins: curve.curve.bins(nowSeconds * 1000),
    modelsBeside: [...curve.modelsLeftOut],
    targets: settings.targets,
    priceOf: settings.referencePriceOf,
    notes: [
      `windows are steps of ${stepSeconds} s of the last ${LOOK_BACK_SECONDS / 3_600} hours`,
      ...(replicas > 1
        ? [`counters are summed over ${replicas} Pitots, which are taken to stand before the same GPUs`]
        : []),
      ...notes,
      ...(curve.notWhole > 0
        ? [
            `steps that are left out because not every Pitot was scraped from their beginning to their end: ${curve.notWhole}`,
          ]
        : []),
      ...(curve.leftOut > 0
        ? [
            `${curve.leftOut} steps are left out: their tokens are those of answers that are not streamed, and concurrency stayed alike for less than ${ANSWERS_A_RUN} times the longest of them`,
          ]
        : []),
      ...(gpus.length > 1 ? [`its GPUs changed from ${gpus.join(' to ')}: throughputs of all of them are mixed`] : []),
      ...(price.length > 1 ? [`its price changed from ${price.join(' to ')} dollars: the newest is taken`] : []),
      ...(isMixed ? ['its conditions changed, or differ between replicas: unlike throughputs are mixed'] : []),
    ],
  };
}
