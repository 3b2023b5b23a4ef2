import type { UpstreamEvents } from '../ledger/upstream-status.ts';
import type { Outbox } from './outbox.ts';
import type { UpstreamEvent } from './protocol.ts';

/** What the requests of a worker tell of their upstream: the first process keeps it. */
export class RelayedStatus implements UpstreamEvents {
  readonly name: string;
  readonly #outbox: Outbox;
  #engine: string | null = null;
  #clientBlockedMs = 0;

  constructor(name: string, outbox: Outbox) {
    this.name = name;
    this.#outbox = outbox;
  }

  get engine(): string | null {
    return this.#engine;
  }

  set engine(engine: string | null) {
    if (engine === this.#engine) return;
    this.#engine = engine;
    this.#outbox.push(['engine', this.#outbox.clock.nowMs(), this.name, engine]);
  }

  get clientBlockedMs(): number {
    return this.#clientBlockedMs;
  }

  set clientBlockedMs(sumMs: number) {
    const ms = sumMs - this.#clientBlockedMs;
    this.#clientBlockedMs = sumMs;
    if (ms > 0) this.#outbox.push(['blocked', this.#outbox.clock.nowMs(), this.name, ms], 'beat');
  }

  requestStarted(): void {
    this.#tell('started');
  }

  requestEnded(): void {
    this.#tell('ended');
  }

  answered(): void {
    this.#tell('answered');
  }

  failed(): void {
    this.#tell('failed');
  }

  #tell(event: UpstreamEvent): void {
    this.#outbox.push(['upstream', this.#outbox.clock.nowMs(), this.name, event]);
  }
}
