import { hostname } from 'node:os';
import type { BuildInfo } from './build-info.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config/schema.ts';
import { openInflater } from './gateway/inflate.ts';
import { Ledger } from './ledger/ledger.ts';
import { UpstreamStatus } from './ledger/upstream-status.ts';
import { LiveView } from './live/live-view.ts';
import { LocalCounts } from './live/local-counts.ts';
import { Throughput } from './live/throughput.ts';
import type { Log } from './log.ts';
import type { FinishedSink } from './meter/finished.ts';
import type { LocalCounting } from './meter/local-counting.ts';
import { MemoryBound } from './meter/memory-bound.ts';
import type { RequestOpening } from './meter/opening.ts';
import { RequestMeter } from './meter/request-meter.ts';
import { TextBlocks } from './meter/text-blocks.ts';
import { createRecorder, type Recorder } from './metrics/recorder.ts';
import { Sinks } from './sinks.ts';
import { createTokenCounter, type TokenCounter } from './tokens/counter.ts';
import type { Dialect } from './wire/facts.ts';

export interface InstrumentsParts {
  clock: Clock;
  log: Log;
  build: BuildInfo;
  /** What became of the usage records so far. */
  usageLog: () => { readonly written: number; readonly dropped: number };
  /** Takes every finished request before it is counted. */
  onFinished: FinishedSink;
}

/** How long the end of the process waits for records that are still being counted, in milliseconds. */
const RECORDS_MS = 3_000;
/**
 * Memory of all requests together for what may have to be counted here: prompts, as they were sent, and
 * outputs, two bytes for a character. What finds no room is estimated. About a thousand streams at a
 * time with prompts of 60 kB and answers of 16,000 characters.
 */
const KEPT_PROMPT_BYTES = 64 * 1_024 * 1_024;
const KEPT_OUTPUT_BYTES = 32 * 1_024 * 1_024;

/** Everything that measures: the ledger, the windows, the metrics, the tokenizer, and a meter for each request. */
export class Instruments {
  readonly recorder: Recorder;
  readonly view: LiveView;
  readonly #parts: InstrumentsParts;
  /** Does not change while a process runs; asking the system for it at each request would be idle work. */
  readonly #instance = hostname();
  readonly #ledger: Ledger;
  readonly #throughput = new Throughput();
  readonly #statuses = new Map<string, UpstreamStatus>();
  readonly #counter: TokenCounter;
  readonly #localCounts: LocalCounts;
  readonly #localCounting: LocalCounting;
  readonly #sinks: Sinks;
  #config: Config;

  constructor(config: Config, parts: InstrumentsParts) {
    const { clock, log } = parts;
    this.#config = config;
    this.#parts = parts;
    this.#ledger = new Ledger({
      clock,
      maxLabelSets: config.limits.max_label_sets,
      maxModels: config.limits.max_models,
      activityOf: (upstream, model) => this.#throughput.windowOf(upstream, model),
    });
    this.#localCounts = new LocalCounts({
      clock,
      warn: (tally) =>
        log.logger.warn(tally, 'answers without a count are estimated, not counted by the local tokenizer'),
    });
    this.view = this.#createView();
    this.recorder = this.#createRecorder();
    this.#counter = createTokenCounter({
      clock,
      budgetMs: config.estimate.budget_ms,
      onFault: (error) => log.logger.error({ err: error }, 'the local tokenizer failed'),
    });
    this.#localCounting = this.#createLocalCounting();
    this.#sinks = this.#createSinks();
  }

  /** Takes effect for the next request. */
  configure(config: Config): void {
    this.#config = config;
    this.#ledger.setCaps({ maxLabelSets: config.limits.max_label_sets, maxModels: config.limits.max_models });
    this.recorder.configure(config);
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
    const { recorder, view } = this;
    this.#sinks.begun();
    return new RequestMeter(opening, {
      clock: this.#parts.clock,
      account: this.#ledger.open(opening.upstream ?? 'unknown', opening.workload, opening.api),
      dialect,
      eventBytes: this.#config.limits.event_bytes,
      estimates: this.#config.estimate.enabled,
      localCounting: this.#localCounting,
      openDecoder: openInflater,
      worker: 0,
      instance: this.#instance,
      onFirstToken: (labels, ttftMs) => {
        recorder.firstToken(labels, ttftMs);
        view.firstToken(ttftMs);
      },
      onFinish: (finished) => this.#sinks.finished(finished),
      onDegraded: recorder.degraded,
    });
  }

  /** Waits for the records that are still owed, then stops sampling. */
  async close(): Promise<void> {
    await this.#sinks.settled(RECORDS_MS);
    await this.#counter.close();
    this.recorder.stop();
  }

  #createView(): LiveView {
    return new LiveView({
      clock: this.#parts.clock,
      ledger: this.#ledger,
      throughput: this.#throughput,
      statuses: () => this.#configuredStatuses(),
      localCounts: this.#localCounts.tally,
      gpusOf: (upstream) => this.#config.upstreams.find(({ name }) => name === upstream)?.gpus ?? null,
    });
  }

  #createLocalCounting(): LocalCounting {
    return {
      prepare: (model) => this.#counter.prepare(model),
      count: (text) => this.#counter.count(text),
      onResult: (result) => this.#localCounts.add(result),
      prompts: new MemoryBound(KEPT_PROMPT_BYTES),
      outputs: new TextBlocks(KEPT_OUTPUT_BYTES),
    };
  }

  #createRecorder(): Recorder {
    const { clock, build, usageLog } = this.#parts;
    return createRecorder({
      clock,
      config: this.#config,
      ledger: this.#ledger,
      throughput: () => this.#throughput.readings(clock.nowMs()),
      statuses: () => this.#configuredStatuses(),
      usageLog,
      build,
    });
  }

  #createSinks(): Sinks {
    const { onFinished, log } = this.#parts;
    return new Sinks(
      [
        onFinished,
        this.recorder.finished,
        (request) => this.view.requestFinished(request),
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
