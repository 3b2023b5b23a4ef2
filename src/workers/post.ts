import type { Backlog } from '../meter/backlog.ts';
import type { MetricSet } from '../metrics/metric-set.ts';
import { reportOf } from '../metrics/process-series.ts';
import type { Haste, Outbox } from './outbox.ts';
import { BEAT_MS, SOON_MS } from './pace.ts';
import type { FromWorker, Told } from './protocol.ts';

const BEATS_PER_PROCESS_REPORT = 4;

export interface PostParts {
  backlog: Backlog;
  outbox: Outbox;
  /** What is read of this process itself. */
  metrics: MetricSet;
  send: (message: FromWorker) => void;
}

/** Carries the outbox of a worker to the first process, in time. */
export class Post {
  readonly #parts: PostParts;
  #beat: NodeJS.Timeout | null = null;
  #beats = 0;
  #soon: NodeJS.Timeout | null = null;
  #now: NodeJS.Immediate | null = null;

  constructor(parts: PostParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#beat = setInterval(() => this.#onBeat(), BEAT_MS);
  }

  hurry(haste: Exclude<Haste, 'beat'>): void {
    if (haste === 'now') this.#now ??= setImmediate(() => this.#sendUrgent());
    else this.#soon ??= setTimeout(() => this.#sendUrgent(), SOON_MS);
  }

  /** The last of it. */
  async stop(): Promise<void> {
    if (this.#beat !== null) clearInterval(this.#beat);
    this.#send(this.#parts.outbox.take());
    await this.#reportProcess();
  }

  #onBeat(): void {
    this.#parts.backlog.catchUp();
    this.#send(this.#parts.outbox.beat());
    this.#beats = (this.#beats + 1) % BEATS_PER_PROCESS_REPORT;
    if (this.#beats === 0) void this.#reportProcess();
  }

  #sendUrgent(): void {
    if (this.#now !== null) clearImmediate(this.#now);
    if (this.#soon !== null) clearTimeout(this.#soon);
    this.#now = null;
    this.#soon = null;
    this.#send(this.#parts.outbox.takeUrgent());
  }

  #send(told: Told[]): void {
    if (told.length > 0) this.#parts.send({ kind: 'told', told });
  }

  async #reportProcess(): Promise<void> {
    this.#parts.send({ kind: 'process', families: reportOf(await this.#parts.metrics.collect()) });
  }
}
