import type { Clock } from '../clock.ts';
import type { Account } from '../ledger/account.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { WorkloadVerdict } from '../ledger/live-verdict.ts';
import type { FinishedRequest } from '../meter/finished.ts';
import type { RequestOpening } from '../meter/opening.ts';
import { PHASES } from '../meter/record.ts';
import { EstimatedShare } from './estimated-share.ts';
import { Failures } from './failures.ts';
import { Goodput } from './goodput.ts';
import { type PointRange, type PointsParts, pointsOf } from './points.ts';
import { QuantileHistory } from './quantile-history.ts';
import { RecentQuantiles } from './recent.ts';
import { RunningRequests } from './running-requests.ts';
import type { GatewaySnapshot, SloSnapshot, Snapshot, ThroughputWindow } from './snapshot-type.ts';
import { statusOf } from './status.ts';
import type { Points } from './stream-type.ts';
import type { Throughput } from './throughput.ts';
import type { UpstreamView } from './upstream-view.ts';
import { Users } from './users.ts';

export interface LiveViewParts {
  clock: Clock;
  gateway: () => GatewaySnapshot;
  isDraining: () => boolean;
  ledger: Ledger;
  throughput: Throughput;
  upstreams: UpstreamView;
  /** Of the workloads that have an SLO, what they ask for. */
  slos: () => SloSnapshot[];
  /** Kept up to date by whoever counts. */
  localCounts: Snapshot['local_counts'];
  /** GPUs by upstream, of those that have any. */
  gpus: () => ReadonlyMap<string, number>;
}

/** The smallest speed (tokens or characters per second) and TTFT (ms) told apart. */
const LOWEST = 0.1;
/** Low is bad for a speed, high for a wait. */
const LOW_AND_MEDIAN = [0.1, 0.5] as const;
const MEDIAN_AND_HIGH = [0.5, 0.95] as const;
/** As many as a page has room for. */
const USERS_SHOWN = 20;

/** What the last minutes looked like: fills the snapshot and the history that pages, terminal and API show. */
export class LiveView {
  readonly users: Users;
  readonly #goodput = new Goodput();
  readonly #running = new RunningRequests();
  readonly #failures = new Failures();
  readonly #estimated = new EstimatedShare();
  readonly #parts: LiveViewParts;
  readonly #speeds = new QuantileHistory(LOWEST, LOW_AND_MEDIAN);
  readonly #characterSpeeds = new RecentQuantiles(LOWEST);
  readonly #firstTokens = new QuantileHistory(LOWEST, MEDIAN_AND_HIGH);
  readonly #pointsParts: PointsParts;
  #finished = 0;

  constructor(parts: LiveViewParts) {
    this.#parts = parts;
    this.users = new Users(parts.clock);
    const { throughput, upstreams, gpus } = parts;
    this.#pointsParts = {
      ...{ throughput, upstreams, gpus },
      speeds: this.#speeds,
      firstTokens: this.#firstTokens,
      goodput: this.#goodput,
      isJudged: () => parts.slos().length > 0,
    };
  }

  /** Until it is finished, it can be asked how it goes. */
  requestBegan(opening: RequestOpening, account: Account): void {
    this.#running.began(opening, account);
  }

  judged(verdict: WorkloadVerdict): void {
    this.#goodput.judged(verdict);
  }

  firstToken(ttftMs: number): void {
    this.#firstTokens.add(ttftMs, this.#parts.clock.nowMs());
  }

  requestFinished(finished: FinishedRequest): void {
    const nowMs = this.#parts.clock.nowMs();
    const { record, slowClient } = finished;
    this.#finished += 1;
    this.#running.ended(record.id);
    this.#failures.finished(finished, nowMs);
    this.#estimated.finished(record, nowMs);
    this.users.finished(finished);
    this.#parts.upstreams.finished(finished, nowMs);
    const { user_speed_tokens_per_second: speed, characters_per_second: characters } = record;
    if (speed !== null && !slowClient) this.#speeds.add(speed, nowMs);
    if (characters !== null && !slowClient) this.#characterSpeeds.add(characters, nowMs);
  }

  snapshot(): Snapshot {
    const { clock, throughput, localCounts, ledger, upstreams, slos } = this.#parts;
    const nowMs = clock.nowMs();
    ledger.catchUp();
    ledger.findOverdue();
    const tokensPerSecond = windows((seconds) => throughput.total(null, seconds, nowMs));
    const running = this.#running.snapshot(nowMs);
    const inFlight = this.#inFlight();
    const targets = slos();
    const told = upstreams.snapshots(nowMs);
    return {
      time: new Date(clock.epochMs()).toISOString(),
      gateway: this.#parts.gateway(),
      ...statusOf({
        isDraining: this.#parts.isDraining(),
        upstreams: told,
        in_flight: inFlight,
        tokensPerSecond: tokensPerSecond['10s'],
      }),
      throughput: {
        tokens_per_second: tokensPerSecond,
        tokens_per_second_per_gpu: this.#perGpu(nowMs),
        conditions: upstreams.conditions(nowMs),
      },
      user_speed: lowAndMedian(this.#speeds.now(nowMs)),
      user_characters_per_second: lowAndMedian(this.#characterSpeeds.quantiles(LOW_AND_MEDIAN, nowMs)),
      running_speed: running.speed,
      ttft: this.#ttft(nowMs),
      in_flight: inFlight,
      requests: running.requests,
      requests_total: this.#finished,
      upstreams: told,
      users: this.users.top(USERS_SHOWN),
      failures: this.#failures.recent(),
      failure_counts: this.#failures.counts(nowMs),
      goodput: this.#goodput.readings(
        targets.map(({ workload }) => workload),
        nowMs,
      ),
      slos: targets,
      cost: upstreams.cost(nowMs),
      estimated: { finished: this.#estimated.at(nowMs), running: running.estimated },
      local_counts: { ...localCounts },
    };
  }

  /** The seconds of this range, as charts show them. */
  points(range: PointRange): Points {
    this.#parts.ledger.catchUp();
    return pointsOf(this.#pointsParts, range);
  }

  #ttft(nowMs: number): Snapshot['ttft'] {
    const [p50, p95] = this.#firstTokens.now(nowMs) ?? [];
    return p50 === undefined || p95 === undefined ? null : { p50_ms: p50, p95_ms: p95 };
  }

  #inFlight(): Snapshot['in_flight'] {
    const sum = { prefill: 0, decode: 0, unstreamed: 0 };
    for (const series of this.#parts.ledger.series()) {
      for (const phase of PHASES) sum[phase] += series.inFlight[phase];
    }
    return sum;
  }

  /** Only the tokens of upstreams whose GPUs are known are divided by them. */
  #perGpu(nowMs: number): Record<ThroughputWindow, number> | null {
    const gpus = this.#parts.gpus();
    if (gpus.size === 0) return null;
    const count = [...gpus.values()].reduce((sum, one) => sum + one, 0);
    return windows((seconds) => {
      let tokens = 0;
      for (const upstream of gpus.keys()) tokens += this.#parts.throughput.total(upstream, seconds, nowMs);
      return tokens / count;
    });
  }
}

function lowAndMedian(values: number[] | null): Snapshot['user_speed'] {
  const [p10, p50] = values ?? [];
  return p10 === undefined || p50 === undefined ? null : { p10, p50 };
}

function windows(rate: (seconds: 1 | 10 | 60) => number): Record<ThroughputWindow, number> {
  return { '1s': rate(1), '10s': rate(10), '60s': rate(60) };
}
