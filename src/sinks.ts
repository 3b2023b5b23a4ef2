import type { FinishedRequest, FinishedSink } from './meter/finished.ts';

/**
 * Hands every finished request to every sink: one that fails is reported and stops none of the
 * others. Knows how many records are still owed, since a record may follow its request's end by as
 * long as it takes to inflate and to count.
 */
export class Sinks {
  readonly #sinks: readonly FinishedSink[];
  readonly #onFault: (error: unknown) => void;
  #owed = 0;
  #onSettled: (() => void) | null = null;

  constructor(sinks: readonly FinishedSink[], onFault: (error: unknown) => void) {
    this.#sinks = sinks;
    this.#onFault = onFault;
  }

  /** A request was begun: a record is owed. */
  begun(): void {
    this.#owed += 1;
  }

  finished(finished: FinishedRequest): void {
    for (const sink of this.#sinks) {
      try {
        sink(finished);
      } catch (error) {
        this.#onFault(error);
      }
    }
    this.#owed -= 1;
    if (this.#owed === 0) this.#onSettled?.();
  }

  /** Resolves when no record is owed, or after `patienceMs`. */
  async settled(patienceMs: number): Promise<void> {
    if (this.#owed === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patienceMs);
      this.#onSettled = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
