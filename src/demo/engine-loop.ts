import type { Clock } from '../clock.ts';
import type { EngineModel } from './engine-model.ts';
import type { TokenAsk } from './engine-sequence.ts';

/** Called once per step in which the request got tokens. */
export type TokenListener = (tokens: number, finished: boolean) => void;

/**
 * Runs the model in real time. A timer that fires late delays the delivery of tokens, but the
 * model's own time does not slip, so that the engine's rate stays the stated one on a busy machine.
 */
export class EngineLoop {
  readonly #model: EngineModel;
  readonly #clock: Clock;
  readonly #listeners = new Map<number, TokenListener>();
  #timer: NodeJS.Timeout | null = null;

  constructor(model: EngineModel, clock: Clock) {
    this.#model = model;
    this.#clock = clock;
  }

  /** Queues a request. The id is for `cancel`; the listener is never called before this returns. */
  submit(ask: TokenAsk, listener: TokenListener): number {
    this.#deliverDueSteps();
    const id = this.#model.submit(ask, this.#clock.nowMs());
    this.#listeners.set(id, listener);
    this.#arm();
    return id;
  }

  /** Frees the request's place at once; its listener is not called again. Harmless for a finished one. */
  cancel(id: number): void {
    this.#listeners.delete(id);
    this.#model.cancel(id);
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const id of [...this.#listeners.keys()]) this.cancel(id);
  }

  #arm(): void {
    const endsMs = this.#model.stepEndsMs;
    if (this.#timer !== null || endsMs === null) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#deliverDueSteps();
        this.#arm();
      },
      Math.max(0, endsMs - this.#clock.nowMs()),
    );
  }

  #deliverDueSteps(): void {
    const nowMs = this.#clock.nowMs();
    for (let endsMs = this.#model.stepEndsMs; endsMs !== null && endsMs <= nowMs; endsMs = this.#model.stepEndsMs) {
      for (const { id, tokens, finished } of this.#model.finishStep().emissions) {
        const listener = this.#listeners.get(id);
        if (finished) this.#listeners.delete(id);
        listener?.(tokens, finished);
      }
    }
  }
}
