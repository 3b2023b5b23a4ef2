import type { Api } from './facts.ts';
import type { JsonObject } from './json.ts';
import type { MessageReader } from './message-answer.ts';

/**
 * Reads answers of a path that several APIs share: the first message with a known shape decides
 * whose it is, and what came before it said nothing.
 */
export class ByShape implements MessageReader {
  readonly #choose: (message: JsonObject) => MessageReader | null;
  #chosen: MessageReader | null = null;

  constructor(choose: (message: JsonObject) => MessageReader | null) {
    this.#choose = choose;
  }

  get complete(): boolean {
    return this.#chosen?.complete ?? false;
  }

  get api(): Api | null {
    return this.#chosen?.api ?? null;
  }

  message(message: JsonObject, isBody: boolean): void {
    this.#chosen ??= this.#choose(message);
    this.#chosen?.message(message, isBody);
  }

  end(whole: boolean): void {
    this.#chosen?.end(whole);
  }
}
