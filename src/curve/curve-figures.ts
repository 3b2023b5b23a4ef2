import type { Clock } from '../clock.ts';
import type { WorkloadConfig } from '../config/schema.ts';
import { rounded } from '../live/spread.ts';
import type { MaxUnderSloSnapshot } from '../live/upstream-snapshot.ts';
import type { Curves } from './curves.ts';
import { allowedBySlo } from './max-under-slo.ts';
import { saturation } from './saturation.ts';
import { workloadTargets } from './targets.ts';

/** What the curve of an upstream says of it, in short. */
export interface CurveInShort {
  /** The concurrency from which on throughput grows no more; null where that is not known. */
  saturation: number | null;
  maxUnderSlo: MaxUnderSloSnapshot[];
}

const NOTHING: CurveInShort = { saturation: null, maxUnderSlo: [] };
/** What is remembered fades by the minute, also where nothing is learned. */
const KEEP_MS = 10_000;

/** Curves in short, for who asks every second: worked out again only when something was learned, or after a while. */
export class CurveFigures {
  readonly #clock: Clock;
  readonly #curves: Curves;
  #workloads: readonly WorkloadConfig[];
  #byUpstream = new Map<string, CurveInShort>();
  #learned = -1;
  #atMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, curves: Curves, workloads: readonly WorkloadConfig[]) {
    this.#clock = clock;
    this.#curves = curves;
    this.#workloads = workloads;
  }

  configure(workloads: readonly WorkloadConfig[]): void {
    this.#workloads = workloads;
    this.#learned = -1;
  }

  of(upstream: string): CurveInShort {
    const nowMs = this.#clock.nowMs();
    if (this.#curves.learned !== this.#learned || nowMs - this.#atMs >= KEEP_MS) this.#workOut(nowMs);
    return this.#byUpstream.get(upstream) ?? NOTHING;
  }

  #workOut(nowMs: number): void {
    const curves = this.#curves.configured();
    const allowed = allowedBySlo(curves, workloadTargets(this.#workloads));
    this.#learned = this.#curves.learned;
    this.#atMs = nowMs;
    this.#byUpstream = new Map(
      curves.map(({ upstream, bins }) => [
        upstream,
        {
          saturation: saturation(bins)?.concurrency ?? null,
          maxUnderSlo: allowed
            .filter((one) => one.upstream === upstream)
            .map(({ workload, tokensPerSecond, concurrency }) => ({
              ...{ workload, concurrency },
              tokens_per_second: rounded(tokensPerSecond),
            })),
        },
      ]),
    );
  }
}
