import type { Clock } from '../clock.ts';
import type { UpstreamConfig } from '../config/schema.ts';
import type { UpstreamEvents } from '../ledger/upstream-status.ts';
import type { UsageAskResult } from '../metrics/read-upstreams.ts';
import type { RecognisedEngine } from './engine-signs.ts';

/** Those that are known to take `stream_options` (CONTRACT §6.6). */
const ASKABLE: ReadonlySet<string> = new Set(['vllm', 'sglang', 'tgi', 'llama.cpp', 'ollama', 'openai']);
/** How long an upstream that refused, or kept silent, is left alone (CONTRACT §6.6). */
const PAUSE_MS = 10 * 60_000;
/** Whole asked streams without usage in a row that show it to be pointless. */
const SILENT_STREAMS = 3;
/** Names come from clients, so there is a bound to those that are remembered. */
const MAX_MODELS = 1_000;
/**
 * The stream of a model that goes out unasked although it might be asked, and then one in so many: only
 * such a one shows whether the server tells unasked (`--enable-force-include-usage`).
 */
const CHECKED_STREAM = 50;
const CHECKED_LATER = 5_000;
/** Answers of an unknown server that are read for signs; after these, one of fifty: another may take its place. */
const WATCHED_ANSWERS = 20;
const WATCHED_LATER = 50;

/**
 * Whether one upstream may be asked for usage: what the configuration allows, which engine it showed
 * itself to be, and what came of asking. Outlives reloads that leave the upstream where it is.
 */
export class UsagePolicy {
  /** What the server showed itself to be; null while that is not known. */
  engine: RecognisedEngine | null = null;
  readonly #status: UpstreamEvents;
  readonly #clock: Clock;
  readonly #onResult: (upstream: string, result: UsageAskResult) => void;
  readonly #tellingModels = new Set<string>();
  /** Streams of a model that were to be asked. */
  readonly #askedStreams = new Map<string, number>();
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #silentStreams = 0;
  #answers = 0;

  constructor(status: UpstreamEvents, clock: Clock, onResult: (upstream: string, result: UsageAskResult) => void) {
    this.#status = status;
    this.#clock = clock;
    this.#onResult = onResult;
  }

  mayAsk({ usage, engine, metering }: UpstreamConfig): boolean {
    if (usage === 'never' || metering === 'off' || this.#clock.nowMs() < this.#pausedUntilMs) return false;
    if (usage === 'always') return true;
    return ASKABLE.has(engine === 'auto' ? (this.engine ?? '') : engine);
  }

  /**
   * The next stream of this model goes out as it came: asking would take from the client a report that
   * the server sends unasked, or it is time to see whether it does.
   */
  leavesUnasked(model: string | null): boolean {
    const name = model ?? '';
    if (this.#tellingModels.has(name)) return true;
    const streams = this.#askedStreams.get(name) ?? 0;
    if (streams > 0 || this.#askedStreams.size < MAX_MODELS) this.#askedStreams.set(name, streams + 1);
    return (streams + 1) % CHECKED_LATER === CHECKED_STREAM;
  }

  /** A whole stream that nobody had asked for usage did, or did not, report it. */
  heardUnasked(model: string | null, hasUsage: boolean): void {
    if (!hasUsage) this.#tellingModels.delete(model ?? '');
    else if (this.#tellingModels.size < MAX_MODELS) this.#tellingModels.add(model ?? '');
  }

  /** The engine is not known: the answer that begins now should be read for signs of it. */
  watchesAnswer({ engine, metering }: UpstreamConfig): boolean {
    if (engine !== 'auto' || metering === 'off' || this.engine !== null) return false;
    this.#answers += 1;
    return this.#answers <= WATCHED_ANSWERS || this.#answers % WATCHED_LATER === 0;
  }

  recognised(engine: RecognisedEngine): void {
    this.engine = engine;
    this.#status.engine = engine;
  }

  /** An asked stream is over, and whole. */
  heardAsked(hasUsage: boolean): void {
    this.#silentStreams = hasUsage ? 0 : this.#silentStreams + 1;
    this.#onResult(this.#status.name, hasUsage ? 'answered' : 'ignored');
    if (this.#silentStreams < SILENT_STREAMS) return;
    this.#silentStreams = 0;
    this.#pause();
  }

  /** The asked request was turned away for the question in it. */
  refused(): void {
    this.#onResult(this.#status.name, 'refused');
  }

  /** Without the question, the same request was served. */
  servedUnasked(): void {
    this.#pause();
  }

  /** The answer cannot be relayed without the added chunk: never again. */
  compressed(): void {
    this.#onResult(this.#status.name, 'compressed');
    this.#pausedUntilMs = Number.POSITIVE_INFINITY;
  }

  #pause(): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#clock.nowMs() + PAUSE_MS);
  }
}
