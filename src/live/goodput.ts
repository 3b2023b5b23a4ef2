import type { WorkloadVerdict } from '../ledger/live-verdict.ts';
import { SecondSums } from './second-sums.ts';
import type { GoodputSnapshot } from './snapshot-type.ts';

/** The last minute, as in `window="60s"` of the throughput. */
const WINDOW_SECONDS = 60;
/** How far back it can be told what the last minute was like. */
const HISTORY_SECONDS = 1_000;

/** Goodput by workload: requests and output tokens per second of requests that met every SLO (CONTRACT §1). */
export class Goodput {
  readonly #sums = new Map<string, SecondSums>();

  judged({ workload, isGood, outputTokens, atMs }: WorkloadVerdict): void {
    let sums = this.#sums.get(workload);
    if (sums === undefined) {
      sums = new SecondSums(3, WINDOW_SECONDS + HISTORY_SECONDS);
      this.#sums.set(workload, sums);
    }
    sums.add([1, Number(isGood), outputTokens], atMs);
  }

  /** What the last minute was like for these workloads; others are not configured any more, and forgotten. */
  readings(workloads: readonly string[], nowMs: number): GoodputSnapshot[] {
    for (const workload of this.#sums.keys()) if (!workloads.includes(workload)) this.#sums.delete(workload);
    return workloads.map((workload) => this.#reading(workload, nowMs));
  }

  /** Good requests and tokens per second, over all workloads and the minute that ends with each of so many seconds. */
  bySecond(from: number, seconds: number): { requests: Float64Array; tokens: Float64Array } {
    const requests = new Float64Array(seconds);
    const tokens = new Float64Array(seconds);
    for (const sums of this.#sums.values()) {
      sums.forEachWindow(WINDOW_SECONDS, { from, seconds }, (index, [, good = 0, goodTokens = 0]) => {
        requests[index] = (requests[index] ?? 0) + good / WINDOW_SECONDS;
        tokens[index] = (tokens[index] ?? 0) + goodTokens / WINDOW_SECONDS;
      });
    }
    return { requests, tokens };
  }

  #reading(workload: string, nowMs: number): GoodputSnapshot {
    const [judged = 0, good = 0, tokens = 0] = this.#sums.get(workload)?.sums(nowMs, WINDOW_SECONDS) ?? [];
    return {
      workload,
      requests_per_second: good / WINDOW_SECONDS,
      tokens_per_second: tokens / WINDOW_SECONDS,
      judged_requests_per_second: judged / WINDOW_SECONDS,
      good_ratio: judged === 0 ? null : good / judged,
    };
  }
}
