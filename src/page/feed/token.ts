import type { KeyValueStore } from '../state/kept.ts';

const KEY = 'pitot.admin-token';

/**
 * The admin token of this tab. It goes into the `Authorization` header and nowhere else: no URL, no history, no log,
 * and no cookie, which the browser would send along unasked.
 */
export class AdminToken {
  #token: string | null = null;
  /** Of the tab; where it is forbidden, a token lives in memory only. */
  readonly #store: () => KeyValueStore;

  constructor(store: () => KeyValueStore) {
    this.#store = store;
    this.#token = this.#attempt((kept) => kept.getItem(KEY)) ?? null;
  }

  get isKnown(): boolean {
    return this.#token !== null;
  }

  /** For every request to the gateway. */
  headers(): Record<string, string> {
    return this.#token === null ? {} : { authorization: `Bearer ${this.#token}` };
  }

  set(token: string): void {
    this.#token = token;
    this.#attempt((kept) => kept.setItem(KEY, token));
  }

  forget(): void {
    this.#token = null;
    this.#attempt((kept) => kept.removeItem(KEY));
  }

  #attempt<Result>(work: (kept: KeyValueStore) => Result): Result | undefined {
    try {
      return work(this.#store());
    } catch {
      return undefined;
    }
  }
}

/** A header can hold no more than this; null where it can be sent. */
export function tokenFault(token: string): string | null {
  if (token === '') return 'Enter the token that admin.token has in the configuration.';
  return /^[\x21-\x7e]+$/.test(token) ? null : 'A token has no spaces, and no letters but those of ASCII.';
}
