import type { Ending } from '../meter/outcome.ts';
import type { Heard, MeteredHead, RequestMeter } from '../meter/request-meter.ts';
import type { RequestFacts } from '../wire/request-facts.ts';

export const NOTHING_HEARD: Heard = { hasUsage: false, isComplete: false, isStreamed: false };

/**
 * The one place where a fault of metering stops: it is counted, and the relay goes on (CONTRACT §6.1).
 * After the first fault the answer is no longer read, but the request still ends in its record.
 */
export class Metering {
  readonly #onFault: (error: unknown) => void;
  readonly #meter: RequestMeter | null;
  #broken = false;

  constructor(open: () => RequestMeter, onFault: (error: unknown) => void) {
    this.#onFault = onFault;
    this.#meter = this.#guarded(open) ?? null;
  }

  body(facts: RequestFacts | null): void {
    this.#guarded(() => this.#meter?.body(facts));
  }

  prompt(json: Uint8Array): void {
    this.#guarded(() => this.#meter?.prompt(json));
  }

  user(name: () => string | null): void {
    this.#guarded(() => this.#meter?.user(name()));
  }

  bodyEnded(bytes: number, atMs: number): void {
    this.#guarded(() => this.#meter?.bodyEnded(bytes, atMs));
  }

  bodyReceived(bytes: number): void {
    this.#guarded(() => this.#meter?.bodyReceived(bytes));
  }

  answerHead(head: MeteredHead, atMs: number): void {
    this.#guarded(() => this.#meter?.answerHead(head, atMs));
  }

  /** On the hot path, hence without a closure. */
  chunk(bytes: Uint8Array, atMs: number): void {
    if (this.#broken) return;
    try {
      this.#meter?.chunk(bytes, atMs);
    } catch (error) {
      this.#broken = true;
      this.#onFault(error);
    }
  }

  /** What was read of the answer so far. */
  heard(): Heard {
    return this.#guarded(() => this.#meter?.heard) ?? NOTHING_HEARD;
  }

  clientBlocked(ms: number): void {
    this.#guarded(() => this.#meter?.clientBlocked(ms));
  }

  finish(ending: Ending, atMs: number): void {
    this.#guarded(() => this.#meter?.finish(ending, atMs));
  }

  #guarded<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#broken = true;
      this.#onFault(error);
      return undefined;
    }
  }
}
