import type { WorkloadConfig } from '../config/schema.ts';

/** What a workload asks of every first token and of every user's speed; null where it asks nothing. */
export interface Targets {
  ttftMs: number | null;
  /** Tokens per second that 95 % of the requests must have: TPOT p95 ≤ t is speed p5 ≥ 1 / t. */
  minSpeed: number | null;
}

export interface WorkloadTargets extends Targets {
  workload: string;
}

/** The workloads of which it can be said how much throughput their targets allow: those with a TTFT, TPOT or speed target. */
export function workloadTargets(workloads: readonly WorkloadConfig[]): WorkloadTargets[] {
  return workloads
    .map(({ name, slo }) => ({
      workload: name,
      ttftMs: slo.ttft,
      minSpeed: slo.speed ?? (slo.tpot === null ? null : 1000 / slo.tpot),
    }))
    .filter(({ ttftMs, minSpeed }) => ttftMs !== null || minSpeed !== null);
}
