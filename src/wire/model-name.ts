import type { FactSink } from './facts.ts';

/** Tells the model name that an answer carries, once. Empty ones stand for none (Azure's first chunk). */
export class ModelName {
  readonly #sink: FactSink;
  #isTold = false;

  constructor(sink: FactSink) {
    this.#sink = sink;
  }

  read(name: unknown): void {
    if (this.#isTold || typeof name !== 'string' || name === '') return;
    this.#isTold = true;
    this.#sink.model(name);
  }
}
