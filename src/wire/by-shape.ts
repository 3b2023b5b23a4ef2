import type { Api } from './facts.ts';
import type { JsonObject } from './json.ts';
import { carriesError, type MessageReader } from './message-answer.ts';

/**
 * Reads answers of a path that several APIs share: the first message with a known shape decides whose it
 * is. What came before it, a ping say, said nothing. `otherwise` takes an answer that ended without such a
 * message; errors look alike everywhere, and are nobody's.
 */
export class ByShape implements MessageReader {
  readonly #choose: (message: JsonObject) => MessageReader | null;
  readonly #otherwise: (() => MessageReader) | null;
  #chosen: MessageReader | null = null;
  #saysSomething = false;

  constructor(choose: (message: JsonObject) => MessageReader | null, otherwise: (() => MessageReader) | null = null) {
    this.#choose = choose;
    this.#otherwise = otherwise;
  }

  get complete(): boolean {
    return this.#chosen?.complete ?? false;
  }

  get api(): Api | null {
    return this.#chosen?.api ?? null;
  }

  message(message: JsonObject, isBody: boolean): void {
    this.#chosen ??= this.#choose(message);
    if (this.#chosen !== null) this.#chosen.message(message, isBody);
    else if (!carriesError(message)) this.#saysSomething = true;
  }

  done(): void {
    this.#chosen?.done?.();
  }

  end(whole: boolean): void {
    if (this.#saysSomething) this.#chosen ??= this.#otherwise?.() ?? null;
    this.#chosen?.end(whole);
  }
}
