import { hostname } from 'node:os';
import type { Clock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import { openInflater } from '../gateway/inflate.ts';
import { Ledger } from '../ledger/ledger.ts';
import type { UpstreamEvents } from '../ledger/upstream-status.ts';
import { createLocalCounting } from '../local-counting.ts';
import { Backlog } from '../meter/backlog.ts';
import type { LocalCounting } from '../meter/local-counting.ts';
import type { RequestOpening } from '../meter/opening.ts';
import { RequestMeter } from '../meter/request-meter.ts';
import { MetricSet } from '../metrics/metric-set.ts';
import { readProcess } from '../metrics/process.ts';
import type { UsageAskResult } from '../metrics/read-upstreams.ts';
import { type RelayRecording, recordRelay } from '../metrics/record-relay.ts';
import { Sinks } from '../sinks.ts';
import { createTokenCounter, type TokenCounter } from '../tokens/counter.ts';
import type { DegradeReason, Dialect } from '../wire/facts.ts';
import type { Outbox } from './outbox.ts';
import { RelayedAccount } from './relayed-account.ts';
import { RelayedStatus } from './relayed-status.ts';

export interface WorkerInstrumentsParts {
  clock: Clock;
  /** From 1 on. */
  worker: number;
  outbox: Outbox;
  onFault: (error: Error | null) => void;
}

/** How long the end of the process waits for records that are still being counted, in milliseconds. */
const RECORDS_MS = 3_000;
/** Who remembers the last minutes is the first process. */
const NO_ACTIVITY = { tokens() {}, spread() {}, worked() {}, phase() {} };
const NO_TARGETS = { ttft: [], tpot: [], speed: [], gap: [], e2e: [] };

/** What meters in a worker. Its ledger is there for estimates; what is counted is counted by the first process. */
export class WorkerInstruments {
  /** Emptied with every beat. */
  readonly backlog = new Backlog(() => {});
  readonly metrics: MetricSet;
  readonly relay: RelayRecording;
  readonly #parts: WorkerInstrumentsParts;
  readonly #instance = hostname();
  readonly #ledger: Ledger;
  readonly #statuses = new Map<string, RelayedStatus>();
  readonly #counter: TokenCounter;
  readonly #localCounting: LocalCounting;
  readonly #stopProcess: () => void;
  /** Knows which records are owed; they are delivered by telling them. */
  readonly #owed = new Sinks([], () => {});
  #config: Config;

  constructor(config: Config, parts: WorkerInstrumentsParts) {
    const { clock, outbox, onFault } = parts;
    this.#config = config;
    this.#parts = parts;
    const { max_label_sets: maxLabelSets, max_models: maxModels } = config.limits;
    this.#ledger = new Ledger({ clock, maxLabelSets, maxModels, activityOf: () => NO_ACTIVITY });
    this.#counter = createTokenCounter({ clock, budgetMs: config.estimate.budget_ms, onFault });
    this.#localCounting = createLocalCounting({
      counter: this.#counter,
      onResult: (result) => outbox.push(['countedHere', clock.nowMs(), result], 'beat'),
      workers: config.workers,
    });
    this.metrics = new MetricSet({ targets: NO_TARGETS, onRefused: () => this.degraded('meter_error') });
    this.relay = recordRelay(this.metrics, clock);
    this.#stopProcess = config.metrics.process ? readProcess(this.metrics, clock.epochMs()) : () => {};
  }

  /** Takes effect for the next request. */
  configure(config: Config): void {
    this.#config = config;
    this.#ledger.setCaps({ maxLabelSets: config.limits.max_label_sets, maxModels: config.limits.max_models });
    this.#counter.budgetMs = config.estimate.budget_ms;
  }

  statusOf(upstream: string): UpstreamEvents {
    let status = this.#statuses.get(upstream);
    if (status === undefined) {
      status = new RelayedStatus(upstream, this.#parts.outbox);
      this.#statuses.set(upstream, status);
    }
    return status;
  }

  openMeter(opening: RequestOpening, dialect: Dialect | null): RequestMeter {
    const { clock, outbox, worker } = this.#parts;
    this.#owed.begun();
    const own = this.#ledger.open(opening.upstream ?? 'unknown', opening.workload, opening.api);
    const account = new RelayedAccount(own, outbox, opening);
    const meter = new RequestMeter(opening, {
      clock,
      account,
      backlog: this.backlog,
      dialect,
      eventBytes: this.#config.limits.event_bytes,
      estimates: this.#config.estimate.enabled,
      localCounting: this.#localCounting,
      openDecoder: openInflater,
      worker,
      instance: this.#instance,
      onFirstToken: (_labels, ttftMs) => account.firstToken(ttftMs),
      onFinish: (finished) => {
        account.finished(finished);
        this.#owed.finished(finished);
      },
      onDegraded: (reason) => this.degraded(reason),
    });
    account.meter = meter;
    return meter;
  }

  usageAsk(upstream: string, result: UsageAskResult): void {
    this.#parts.outbox.push(['asked', this.#parts.clock.nowMs(), upstream, result]);
  }

  degraded(reason: DegradeReason): void {
    this.#parts.outbox.push(['degraded', this.#parts.clock.nowMs(), reason], 'beat');
  }

  /** Waits for the records that are still owed, then stops sampling. */
  async close(): Promise<void> {
    await this.#owed.settled(RECORDS_MS);
    await this.#counter.close();
    this.relay.stop();
    this.#stopProcess();
  }
}
