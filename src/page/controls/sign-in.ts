import { byId } from '../dom/element.ts';
import { show, writeText } from '../dom/write.ts';
import type { Connection } from '../feed/connection.ts';
import { type AdminToken, tokenFault } from '../feed/token.ts';

export interface SignInParts {
  token: AdminToken;
  /** There is a token now: try it. */
  given: () => void;
  /** The token was forgotten. */
  signedOut: () => void;
}

/** Asks for the admin token where the gateway wants one, and forgets it when asked to. */
export class SignIn {
  readonly #parts: SignInParts;
  readonly #panel = byId('sign-in', HTMLElement);
  readonly #field = byId('token', HTMLInputElement);
  readonly #message = byId('sign-in-message', HTMLElement);
  readonly #out = byId('sign-out', HTMLButtonElement);
  readonly #main = byId('main', HTMLElement);

  constructor(parts: SignInParts) {
    this.#parts = parts;
    byId('sign-in-form', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#out.addEventListener('click', () => {
      parts.token.forget();
      parts.signedOut();
    });
  }

  write(connection: Connection): void {
    const isWanted = connection.kind === 'sign_in';
    const wasHidden = this.#panel.hidden;
    show(this.#panel, isWanted);
    show(this.#main, !isWanted);
    show(this.#out, !isWanted && this.#parts.token.isKnown);
    if (!isWanted || !wasHidden) return;
    if (connection.wasRefused) {
      this.#parts.token.forget();
      writeText(this.#message, 'The gateway does not take this token.');
    } else writeText(this.#message, '');
    this.#field.focus();
  }

  #submit(): void {
    const token = this.#field.value.trim();
    const fault = tokenFault(token);
    writeText(this.#message, fault ?? '');
    if (fault !== null) {
      this.#field.focus();
      return;
    }
    // It stays in no field that a browser would offer to keep.
    this.#field.value = '';
    this.#parts.token.set(token);
    this.#parts.given();
  }
}
