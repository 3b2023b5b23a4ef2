import type { Config } from '../config/schema.ts';
import { slosOf } from '../identity/workload.ts';
import type { SloSnapshot } from './snapshot-type.ts';

/** What each workload that has an SLO is to keep; where requests may bring their targets, those without are null. */
export function slosOfAll({ workloads }: Pick<Config, 'workloads'>): SloSnapshot[] {
  return workloads
    .filter((one) => slosOf(one).length > 0)
    .map(({ name, slo }) => ({
      workload: name,
      ttft_ms: slo.ttft,
      tpot_ms: slo.tpot,
      speed: slo.speed,
      gap_ms: slo.gap,
      e2e_ms: slo.e2e,
      objective: slo.objective,
    }));
}

/** GPUs by upstream, of those that have any. */
export function gpusOfAll({ upstreams }: Pick<Config, 'upstreams'>): Map<string, number> {
  return new Map(upstreams.flatMap(({ name, gpus }) => (gpus === null ? [] : [[name, gpus] as const])));
}
