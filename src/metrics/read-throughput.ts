import type { UpstreamConfig } from '../config/schema.ts';
import { TOKENS } from './catalog/tokens.ts';
import type { MetricSet } from './metric-set.ts';

/** Live system throughput of one upstream and model over one window (CONTRACT §1). */
export interface ThroughputReading {
  readonly upstream: string;
  readonly model: string;
  readonly windowSeconds: number;
  readonly mode: 'effective' | 'active';
  /** Null in mode `active` when nothing ran in the window. */
  readonly tokensPerSecond: number | null;
}

export interface ThroughputSources {
  readings: () => Iterable<ThroughputReading>;
  configured: () => readonly UpstreamConfig[];
}

/** The live gauges of system throughput, worked out once for both. The windows are kept in `live`; this room is only told what they say. */
export function readThroughput(set: MetricSet, { readings, configured }: ThroughputSources): void {
  let latest: readonly ThroughputReading[] = [];
  set.beforeScrape(() => {
    latest = [...readings()];
  });
  set.live(TOKENS.throughput, (emit) => {
    for (const { upstream, model, windowSeconds, mode, tokensPerSecond } of latest) {
      emit([upstream, model, `${windowSeconds}s`, mode], tokensPerSecond);
    }
  });
  set.live(TOKENS.throughputPerGpu, (emit) => {
    const gpusOf = new Map(configured().map(({ name, gpus }) => [name, gpus]));
    const totals = new Map<string, { upstream: string; windowSeconds: number; tokensPerSecond: number }>();
    for (const { upstream, windowSeconds, mode, tokensPerSecond } of latest) {
      if (mode !== 'effective' || tokensPerSecond === null) continue;
      const key = `${windowSeconds}s ${upstream}`;
      const total = totals.get(key);
      if (total === undefined) totals.set(key, { upstream, windowSeconds, tokensPerSecond });
      else total.tokensPerSecond += tokensPerSecond;
    }
    for (const { upstream, windowSeconds, tokensPerSecond } of totals.values()) {
      const gpus = gpusOf.get(upstream) ?? null;
      if (gpus !== null) emit([upstream, `${windowSeconds}s`], tokensPerSecond / gpus);
    }
  });
}
