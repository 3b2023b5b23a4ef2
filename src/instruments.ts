import { hostname } from 'node:os';
import type { BuildInfo } from './build-info.ts';
import { Capacity } from './capacity.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config/schema.ts';
import { openInflater } from './gateway/inflate.ts';
import type { Account } from './ledger/account.ts';
import { Ledger } from './ledger/ledger.ts';
import { UpstreamStatus } from './ledger/upstream-status.ts';
import { gpusOfAll, slosOfAll } from './live/configured.ts';
import { LiveView } from './live/live-view.ts';
import { LocalCounts } from './live/local-counts.ts';
import type { GatewaySnapshot } from './live/snapshot-type.ts';
import { Throughput } from './live/throughput.ts';
import { createLocalCounting } from './local-counting.ts';
import type { Log } from './log.ts';
import { Backlog } from './meter/backlog.ts';
import type { FinishedRequest, FinishedSink } from './meter/finished.ts';
import type { SeriesLabels } from './meter/live-account.ts';
import type { LocalCounting, LocalCountResult } from './meter/local-counting.ts';
import type { RequestOpening } from './meter/opening.ts';
import { RequestMeter } from './meter/request-meter.ts';
import { ProcessSeries } from './metrics/process-series.ts';
import type { UsageAskResult } from './metrics/read-upstreams.ts';
import { createRecorder, type Recorder } from './metrics/recorder.ts';
import { Sinks } from './sinks.ts';
import { createTokenCounter, type TokenCounter } from './tokens/counter.ts';
import type { DegradeReason, Dialect } from './wire/facts.ts';
import { Ear } from './workers/ear.ts';
import { LATENESS_MS } from './workers/pace.ts';
import type { Books } from './workers/replay.ts';

export interface InstrumentsParts {
  clock: Clock;
  log: Log;
  build: BuildInfo;
  /** Upstream and load are made up here. */
  simulation: boolean;
  isDraining: () => boolean;
  /** What became of the usage records so far. */
  usageLog: () => { readonly written: number; readonly dropped: number };
  /** Takes every finished request before it is counted. */
  onFinished: FinishedSink;
}

/** Live figures that nobody reads may lag so far, in milliseconds; who reads them has them caught up. */
const LAG_MS = 200;
/** How long the end of the process waits for records that are still being counted, in milliseconds. */
const RECORDS_MS = 3_000;
/** Everything that counts and measures: the ledger, the windows, the metrics, the tokenizer, and a meter for each request. */
export class Instruments implements Books {
  readonly recorder: Recorder;
  readonly view: LiveView;
  readonly capacity: Capacity;
  readonly #parts: InstrumentsParts;
  /** Does not change while a process runs; asking the system for it at each request would be idle work. */
  readonly #instance = hostname();
  readonly #ledger: Ledger;
  readonly #backlog = new Backlog((work) => setTimeout(work, LAG_MS).unref());
  readonly #throughput = new Throughput();
  readonly #statuses = new Map<string, UpstreamStatus>();
  readonly #counter: TokenCounter;
  readonly #localCounts: LocalCounts;
  readonly #localCounting: LocalCounting;
  readonly #sinks: Sinks;
  /** What every process tells of itself, where there are several. */
  readonly #processes: ProcessSeries | null;
  /** Of live figures: where workers tell what they relay, those of the last moment are still to come. */
  readonly liveClock: Clock;
  /** RFC 3339. */
  readonly #startedAt: string;
  #config: Config;

  constructor(config: Config, parts: InstrumentsParts) {
    const { clock, log } = parts;
    this.#config = config;
    this.#parts = parts;
    const lateMs = config.workers > 1 ? LATENESS_MS : 0;
    this.liveClock = { nowMs: () => clock.nowMs() - lateMs, epochMs: () => clock.epochMs() - lateMs };
    this.#startedAt = new Date(clock.epochMs()).toISOString();
    this.#ledger = new Ledger({
      clock,
      maxLabelSets: config.limits.max_label_sets,
      maxModels: config.limits.max_models,
      activityOf: (upstream, model) => this.capacity.activityOf(upstream, model),
      backlog: this.#backlog,
      onPhase: (move) => this.capacity.phase(move),
      onVerdict: (verdict) => this.view.judged(verdict),
    });
    this.#localCounts = new LocalCounts({
      clock,
      warn: (tally) =>
        log.logger.warn(tally, 'answers without a count are estimated, not counted by the local tokenizer'),
    });
    this.capacity = new Capacity({
      clock,
      config,
      log: log.logger,
      throughput: this.#throughput,
      statusOf: (upstream) => this.statusOf(upstream),
    });
    this.#processes = config.workers > 1 ? new ProcessSeries() : null;
    this.view = this.#createView();
    this.recorder = this.#createRecorder();
    this.#counter = createTokenCounter({
      clock,
      budgetMs: config.estimate.budget_ms,
      onFault: (error) => log.logger.error({ err: error }, 'the local tokenizer failed'),
    });
    const onResult = (result: LocalCountResult) => this.countedHere(result);
    this.#localCounting = createLocalCounting({ counter: this.#counter, onResult, workers: 1 });
    this.#sinks = this.#createSinks();
  }

  /** Takes effect for the next request. */
  configure(config: Config): void {
    this.#config = config;
    this.#ledger.setCaps({ maxLabelSets: config.limits.max_label_sets, maxModels: config.limits.max_models });
    this.recorder.configure(config);
    this.capacity.configure(config);
    this.#counter.budgetMs = config.estimate.budget_ms;
  }

  /** Kept over reloads, so that what an upstream did is not forgotten. */
  statusOf(upstream: string): UpstreamStatus {
    let status = this.#statuses.get(upstream);
    if (status === undefined) {
      status = new UpstreamStatus(upstream, this.#parts.clock);
      this.#statuses.set(upstream, status);
    }
    return status;
  }

  openMeter(opening: RequestOpening, dialect: Dialect | null): RequestMeter {
    return new RequestMeter(opening, {
      clock: this.#parts.clock,
      account: this.openAccount(opening),
      backlog: this.#backlog,
      dialect,
      eventBytes: this.#config.limits.event_bytes,
      estimates: this.#config.estimate.enabled,
      localCounting: this.#localCounting,
      openDecoder: openInflater,
      worker: 0,
      instance: this.#instance,
      onFirstToken: (labels, ttftMs) => this.firstToken(labels, ttftMs),
      onFinish: (finished) => this.finished(finished),
      onDegraded: (reason) => this.degraded(reason),
    });
  }

  openAccount(opening: RequestOpening): Account {
    this.#sinks.begun();
    const { upstream, workload, api } = opening;
    const account = this.#ledger.open(upstream ?? 'unknown', workload, api);
    this.view.requestBegan(opening, account);
    return account;
  }

  firstToken(labels: SeriesLabels, ttftMs: number): void {
    this.recorder.firstToken(labels, ttftMs);
    this.view.firstToken(ttftMs);
  }

  finished(finished: FinishedRequest): void {
    this.#sinks.finished(finished);
  }

  usageAsk(upstream: string, result: UsageAskResult): void {
    this.recorder.usageAsk(upstream, result);
  }

  degraded(reason: DegradeReason): void {
    this.recorder.degraded(reason);
  }

  countedHere(result: LocalCountResult): void {
    this.#localCounts.add(result);
  }

  /** Hears what the workers of this process tell, and counts it here. */
  createEar(): Ear {
    const { clock, log } = this.#parts;
    return new Ear({
      books: this,
      nowMs: () => clock.nowMs(),
      processes: this.#processes,
      instance: this.#instance,
      estimates: () => this.#config.estimate.enabled,
      line: (text) => log.line(text),
      onFailed: (worker, sentence) => log.logger.error({ worker, reason: sentence }, 'a worker refused'),
    });
  }

  /** Waits for the records that are still owed, then stops sampling. */
  async close(): Promise<void> {
    await this.#sinks.settled(RECORDS_MS);
    await this.#counter.close();
    await this.capacity.close();
    this.recorder.stop();
  }

  #createView(): LiveView {
    return new LiveView({
      clock: this.liveClock,
      ledger: this.#ledger,
      throughput: this.#throughput,
      upstreams: this.capacity.upstreams,
      gateway: () => this.#gateway(),
      isDraining: this.#parts.isDraining,
      slos: () => slosOfAll(this.#config),
      localCounts: this.#localCounts.tally,
      gpus: () => gpusOfAll(this.#config),
    });
  }

  #gateway(): GatewaySnapshot {
    const { build, simulation } = this.#parts;
    return { version: build.version, started_at: this.#startedAt, workers: this.#config.workers, simulation };
  }

  #createRecorder(): Recorder {
    const { clock, build, usageLog } = this.#parts;
    return createRecorder({
      clock,
      config: this.#config,
      ledger: this.#ledger,
      throughput: () => this.#throughput.readings(this.liveClock.nowMs()),
      statuses: () => this.#configuredStatuses(),
      capacity: this.capacity,
      usageLog,
      build,
      processes: this.#processes,
    });
  }

  #createSinks(): Sinks {
    const { onFinished, log } = this.#parts;
    return new Sinks(
      [
        onFinished,
        this.recorder.finished,
        (request) => this.view.requestFinished(request),
        (request) => this.capacity.finished(request),
        ({ record }) => log.request(record),
      ],
      (error) => {
        this.recorder.degraded('meter_error');
        log.logger.error({ err: error }, 'a sink of finished requests failed');
      },
    );
  }

  #configuredStatuses(): UpstreamStatus[] {
    return this.#config.upstreams.map(({ name }) => this.statusOf(name));
  }
}
