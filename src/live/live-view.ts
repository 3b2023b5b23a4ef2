import type { Clock } from '../clock.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { WorkloadVerdict } from '../ledger/live-verdict.ts';
import type { UpstreamStatus } from '../ledger/upstream-status.ts';
import type { FinishedRequest } from '../meter/finished.ts';
import { PHASES } from '../meter/record.ts';
import { Goodput } from './goodput.ts';
import { RecentQuantiles } from './recent.ts';
import type { Snapshot, ThroughputWindow } from './snapshot-type.ts';
import type { Throughput } from './throughput.ts';
import type { UpstreamView } from './upstream-view.ts';
import { Users } from './users.ts';

export interface LiveViewParts {
  clock: Clock;
  ledger: Ledger;
  throughput: Throughput;
  upstreams: UpstreamView;
  /** The workloads that have an SLO. */
  judgedWorkloads: () => readonly string[];
  statuses: () => Iterable<UpstreamStatus>;
  /** Kept up to date by whoever counts. */
  localCounts: Snapshot['local_counts'];
  /** GPUs of one upstream; null where none are configured. */
  gpusOf: (upstream: string) => number | null;
}

/** The smallest speed (tokens or characters per second) and TTFT (ms) told apart. */
const LOWEST = 0.1;
/** As many as a page has room for. */
const USERS_SHOWN = 20;

/** What the last minute looked like: fills the snapshot that pages, terminal and API show. */
export class LiveView {
  readonly users: Users;
  readonly #goodput = new Goodput();
  readonly #parts: LiveViewParts;
  readonly #speeds = new RecentQuantiles(LOWEST);
  readonly #characterSpeeds = new RecentQuantiles(LOWEST);
  readonly #firstTokens = new RecentQuantiles(LOWEST);
  #finished = 0;

  constructor(parts: LiveViewParts) {
    this.#parts = parts;
    this.users = new Users(parts.clock);
  }

  judged(verdict: WorkloadVerdict): void {
    this.#goodput.judged(verdict);
  }

  firstToken(ttftMs: number): void {
    this.#firstTokens.add(ttftMs, this.#parts.clock.nowMs());
  }

  requestFinished(finished: FinishedRequest): void {
    this.#finished += 1;
    this.users.finished(finished);
    this.#parts.upstreams.finished(finished, this.#parts.clock.nowMs());
    const { user_speed_tokens_per_second: speed, characters_per_second: characters } = finished.record;
    const nowMs = this.#parts.clock.nowMs();
    if (speed !== null && !finished.slowClient) this.#speeds.add(speed, nowMs);
    if (characters !== null && !finished.slowClient) this.#characterSpeeds.add(characters, nowMs);
  }

  snapshot(): Snapshot {
    const { clock, throughput, localCounts, ledger, judgedWorkloads, upstreams } = this.#parts;
    const nowMs = clock.nowMs();
    ledger.findOverdue();
    const tokensPerSecond = windows((seconds) => throughput.total(null, seconds, nowMs));
    const gpus = this.#gpus();
    const inFlight = this.#inFlight();
    const isFlowing = PHASES.some((phase) => inFlight[phase] > 0);
    return {
      time: new Date(clock.epochMs()).toISOString(),
      throughput: {
        tokens_per_second: tokensPerSecond,
        tokens_per_second_per_gpu: gpus === null ? null : this.#perGpu(gpus, nowMs),
        conditions: upstreams.conditions(nowMs),
      },
      user_speed: lowAndMedian(this.#speeds, nowMs),
      user_characters_per_second: lowAndMedian(this.#characterSpeeds, nowMs),
      ttft: this.#ttft(nowMs),
      in_flight: inFlight,
      requests_total: this.#finished,
      upstreams: upstreams.snapshots(nowMs),
      users: this.users.top(USERS_SHOWN),
      goodput: this.#goodput.readings(judgedWorkloads(), nowMs),
      local_counts: { ...localCounts },
      status: isFlowing ? 'flowing' : 'idle',
    };
  }

  #ttft(nowMs: number): Snapshot['ttft'] {
    const [p50, p95] = this.#firstTokens.quantiles([0.5, 0.95], nowMs) ?? [];
    return p50 === undefined || p95 === undefined ? null : { p50_ms: p50, p95_ms: p95 };
  }

  #inFlight(): Snapshot['in_flight'] {
    const sum = { prefill: 0, decode: 0, unstreamed: 0 };
    for (const series of this.#parts.ledger.series()) {
      for (const phase of PHASES) sum[phase] += series.inFlight[phase];
    }
    return sum;
  }

  /** The upstreams whose GPUs are known: only their tokens are divided by them. */
  #gpus(): Map<string, number> | null {
    const known = new Map<string, number>();
    for (const { name } of this.#parts.statuses()) {
      const gpus = this.#parts.gpusOf(name);
      if (gpus !== null) known.set(name, gpus);
    }
    return known.size === 0 ? null : known;
  }

  #perGpu(gpus: Map<string, number>, nowMs: number): Record<ThroughputWindow, number> {
    const count = [...gpus.values()].reduce((sum, one) => sum + one, 0);
    return windows((seconds) => {
      let tokens = 0;
      for (const upstream of gpus.keys()) tokens += this.#parts.throughput.total(upstream, seconds, nowMs);
      return tokens / count;
    });
  }
}

function lowAndMedian(recent: RecentQuantiles, nowMs: number): Snapshot['user_speed'] {
  const [p10, p50] = recent.quantiles([0.1, 0.5], nowMs) ?? [];
  return p10 === undefined || p50 === undefined ? null : { p10, p50 };
}

function windows(rate: (seconds: 1 | 10 | 60) => number): Record<ThroughputWindow, number> {
  return { '1s': rate(1), '10s': rate(10), '60s': rate(60) };
}
