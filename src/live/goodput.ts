import type { WorkloadVerdict } from '../ledger/live-verdict.ts';
import { SecondSums } from './second-sums.ts';
import type { GoodputSnapshot } from './snapshot-type.ts';

/** The last minute, as in `window="60s"` of the throughput. */
const WINDOW_SECONDS = 60;

/** Goodput by workload: requests and output tokens per second of requests that met every SLO (CONTRACT §1). */
export class Goodput {
  readonly #sums = new Map<string, SecondSums>();

  judged({ workload, isGood, outputTokens, atMs }: WorkloadVerdict): void {
    let sums = this.#sums.get(workload);
    if (sums === undefined) {
      sums = new SecondSums(3, WINDOW_SECONDS);
      this.#sums.set(workload, sums);
    }
    sums.add([1, Number(isGood), outputTokens], atMs);
  }

  /** What the last minute was like for these workloads; others are not configured any more, and forgotten. */
  readings(workloads: readonly string[], nowMs: number): GoodputSnapshot[] {
    for (const workload of this.#sums.keys()) if (!workloads.includes(workload)) this.#sums.delete(workload);
    return workloads.map((workload) => this.#reading(workload, nowMs));
  }

  #reading(workload: string, nowMs: number): GoodputSnapshot {
    const [judged = 0, good = 0, tokens = 0] = this.#sums.get(workload)?.sums(nowMs) ?? [];
    return {
      workload,
      requests_per_second: good / WINDOW_SECONDS,
      tokens_per_second: tokens / WINDOW_SECONDS,
      judged_requests_per_second: judged / WINDOW_SECONDS,
      good_ratio: judged === 0 ? null : good / judged,
    };
  }
}
