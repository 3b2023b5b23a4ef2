import type { Clock } from '../clock.ts';
import type { UpstreamConfig } from '../config/schema.ts';
import type { UpstreamStatus } from '../ledger/upstream-status.ts';
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
  readonly #status: UpstreamStatus;
  readonly #clock: Clock;
  readonly #onResult: (upstream: string, result: UsageAskResult) => void;
  readonly #tellingModels = new Set<string>();
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #silentStreams = 0;
  #answers = 0;

  constructor(status: UpstreamStatus, clock: Clock, onResult: (upstream: string, result: UsageAskResult) => void) {
    this.#status = status;
    this.#clock = clock;
    this.#onResult = onResult;
  }

  mayAsk({ usage, engine, metering }: UpstreamConfig): boolean {
    if (usage === 'never' || metering === 'off' || this.#clock.nowMs() < this.#pausedUntilMs) return false;
    if (usage === 'always') return true;
    return ASKABLE.has(engine === 'auto' ? (this.engine ?? '') : engine);
  }

  /** Asking would take from the client a report that the server sends unasked (`--enable-force-include-usage`). */
  tellsUnasked(model: string | null): boolean {
    return this.#tellingModels.has(model ?? '');
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
