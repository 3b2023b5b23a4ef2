import type { Socket } from 'node:net';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import { createDataPort } from '../gateway/data-port.ts';
import { createForwardingLogger } from '../log.ts';
import { type Settings, settingsOf } from '../settings.ts';
import { Outbox } from './outbox.ts';
import { Post } from './post.ts';
import type { FromWorker, ToWorker } from './protocol.ts';
import { WorkerInstruments } from './worker-instruments.ts';

/** What one worker consists of: a data port without a listener, and what meters behind it. */
export class WorkerApp {
  readonly #send: (message: FromWorker) => void;
  readonly #logger: ReturnType<typeof createForwardingLogger>;
  readonly #instruments: WorkerInstruments;
  readonly #post: Post;
  readonly #dataPort: ReturnType<typeof createDataPort>;
  #take: ((socket: Socket) => void) | null = null;
  #settings: Settings;

  /** Throws when an upstream's URL or CA file cannot be read. */
  constructor({ worker, config }: Extract<ToWorker, { kind: 'start' }>, send: (message: FromWorker) => void) {
    this.#send = send;
    this.#settings = settingsOf(config);
    const write = (line: string) => send({ kind: 'line', line });
    this.#logger = createForwardingLogger({ level: config.log.level, worker, write });
    const outbox = new Outbox(systemClock, (haste) => this.#post.hurry(haste));
    this.#instruments = new WorkerInstruments(config, {
      clock: systemClock,
      worker,
      outbox,
      onFault: (error) => this.#logger.error({ err: error }, 'the local tokenizer failed'),
    });
    this.#post = new Post({ outbox, backlog: this.#instruments.backlog, metrics: this.#instruments.metrics, send });
    this.#dataPort = this.#createDataPort(config);
  }

  async open(): Promise<void> {
    this.#take = await this.#dataPort.open();
    this.#post.start();
  }

  connection(socket: Socket): void {
    this.#take?.(socket);
  }

  configure(config: Config): void {
    try {
      this.#dataPort.replaceConfig(config);
    } catch (error) {
      this.#send({ kind: 'failed', sentence: error instanceof Error ? error.message : String(error) });
      return;
    }
    this.#settings = settingsOf(config);
    this.#instruments.configure(config);
    this.#logger.level = config.log.level;
  }

  drain(): void {
    this.#dataPort.startDraining();
  }

  /** Resolves when everything that there was to tell is told. */
  async close(graceMs: number): Promise<void> {
    await this.#dataPort.close(graceMs);
    await this.#instruments.close();
    await this.#post.stop();
  }

  #createDataPort(config: Config): ReturnType<typeof createDataPort> {
    const instruments = this.#instruments;
    return createDataPort({
      config,
      clock: systemClock,
      log: this.#logger,
      statusOf: (upstream) => instruments.statusOf(upstream),
      openMeter: (opening, dialect) => instruments.openMeter(opening, dialect),
      identify: ({ headers, target }, bodyUser) => this.#settings.identify({ headers, target, bodyUser }),
      workloadOf: (headers) => this.#settings.workloadOf(headers),
      relayDelay: { observe: instruments.relay.relayDelay },
      onUsageAsk: (upstream, result) => instruments.usageAsk(upstream, result),
      onDegraded: (reason) => instruments.degraded(reason),
    });
  }
}
