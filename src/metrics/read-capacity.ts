import type { UpstreamConfig } from '../config/schema.ts';
import { UNKNOWN_MODEL } from '../ledger/model-names.ts';
import { CAPACITY } from './catalog/capacity.ts';
import type { MetricSet } from './metric-set.ts';

/** What is known of cost and operating points: kept in rooms of their own, this one is only told. */
export interface CapacitySources {
  /** Of each upstream with GPUs and a price, since the start. */
  gpuDollars(): Iterable<{ upstream: string; dollars: number }>;
  /** Null where the model has no reference price. */
  referenceDollars(upstream: string, model: string): number | null;
  referencePrice(model: string): { input: number | null; cachedInput: number | null; output: number | null } | null;
  /** Dollars per million output tokens over the last minute; null while nothing flows. */
  costPerMillion(upstream: string): number | null;
  allowedBySlo(): Iterable<{ upstream: string; workload: string; tokensPerSecond: number; concurrency: number }>;
}

export interface CapacityReading {
  capacity: CapacitySources;
  configured: () => readonly UpstreamConfig[];
  /** Every upstream and model that was seen. */
  models: () => Iterable<{ readonly upstream: string; readonly model: string }>;
}

export function readCapacity(set: MetricSet, reading: CapacityReading): void {
  readConfigured(set, reading.configured);
  readCosts(set, reading);
  readOperatingPoints(set, reading.capacity);
}

function readConfigured(set: MetricSet, configured: CapacityReading['configured']): void {
  set.live(CAPACITY.gpuPrice, (emit) => {
    for (const { name, gpu_price_per_hour: price } of configured()) emit([name], price);
  });
  set.live(CAPACITY.floorThroughput, (emit) => {
    for (const { name, floor } of configured()) emit([name], floor?.output_tokens_per_second ?? null);
  });
  set.live(CAPACITY.floorConcurrency, (emit) => {
    for (const { name, floor } of configured()) emit([name], floor?.min_concurrency ?? null);
  });
  set.live(CAPACITY.floorObjective, (emit) => {
    for (const { name, floor } of configured()) emit([name], floor?.objective ?? null);
  });
}

function readCosts(set: MetricSet, { capacity, configured, models }: CapacityReading): void {
  // Every request begins as unknown: that is a model only where an answer named none and tokens came all the same.
  const seen = () =>
    [...models()].filter(
      ({ upstream, model }) => model !== UNKNOWN_MODEL || (capacity.referenceDollars(upstream, model) ?? 0) > 0,
    );
  set.live(CAPACITY.gpuCost, (emit) => {
    for (const { upstream, dollars } of capacity.gpuDollars()) emit([upstream], dollars);
  });
  set.live(CAPACITY.referenceCost, (emit) => {
    for (const { upstream, model } of seen()) emit([upstream, model], capacity.referenceDollars(upstream, model));
  });
  set.live(CAPACITY.costPerMillion, (emit) => {
    for (const { name } of configured()) emit([name, '60s'], capacity.costPerMillion(name));
  });
  set.live(CAPACITY.referencePrice, (emit) => {
    for (const { model } of seen()) {
      const price = capacity.referencePrice(model);
      emit([model, 'input'], price?.input ?? null);
      emit([model, 'cached_input'], price?.cachedInput ?? null);
      emit([model, 'output'], price?.output ?? null);
    }
  });
}

/** Worked out once for both gauges, in a turn of its own: quantiles of every bin take longer than a number. */
function readOperatingPoints(set: MetricSet, capacity: CapacitySources): void {
  let latest: readonly { upstream: string; workload: string; tokensPerSecond: number; concurrency: number }[] = [];
  set.beforeScrape(() => {
    latest = [...capacity.allowedBySlo()];
  });
  set.live(CAPACITY.maxThroughput, (emit) => {
    for (const { upstream, workload, tokensPerSecond } of latest) emit([upstream, workload], tokensPerSecond);
  });
  set.live(CAPACITY.maxConcurrency, (emit) => {
    for (const { upstream, workload, concurrency } of latest) emit([upstream, workload], concurrency);
  });
}
