import { asBuffer, ByteStore } from './byte-store.ts';
import { NestedValue } from './nested-value.ts';

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

export interface ElementHandler {
  /** The text of one element. */
  onElement(text: string): void;
  /** An element outgrew the bound and was given up. Called once for it. */
  onTooLarge(): void;
}

/**
 * The elements of one JSON list, each as soon as it is whole, out of bytes that arrive cut anywhere:
 * Gemini streams its answer as one list. Elements are objects or lists; what stands between them,
 * blanks and commas in a sane list, is passed over. An element beyond `eventBytes` is dropped as it
 * comes. What follows the closing bracket is no part of the list.
 */
export class JsonArrayFramer {
  readonly #handler: ElementHandler;
  readonly #eventBytes: number;
  readonly #held = new ByteStore();
  #element: NestedValue | null = null;
  #givenUp = false;
  #opened = false;
  /** The list's own closing bracket was seen. */
  closed = false;

  constructor(handler: ElementHandler, eventBytes: number) {
    this.#handler = handler;
    this.#eventBytes = eventBytes;
  }

  /** The first byte of all is the opening bracket. */
  push(bytes: Uint8Array): void {
    const read = asBuffer(bytes);
    let at = 0;
    if (!this.#opened && read.length > 0) {
      this.#opened = true;
      at = 1;
    }
    while (at < read.length && !this.closed) {
      at = this.#element === null ? this.#between(read, at) : this.#inside(this.#element, read, at);
    }
  }

  /** An element that was not finished is none. */
  end(): void {
    this.#held.clear();
  }

  #between(read: Buffer, from: number): number {
    let at = from;
    for (; at < read.length; at += 1) {
      const byte = read[at];
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        this.#element = new NestedValue();
        return at;
      }
      if (byte !== CLOSE_BRACKET) continue;
      this.closed = true;
      break;
    }
    return at;
  }

  #inside(element: NestedValue, read: Buffer, from: number): number {
    const end = element.find(read, from);
    this.#hold(read, from, end < 0 ? read.length : end);
    if (end < 0) return read.length;
    this.#element = null;
    if (!this.#givenUp) this.#handler.onElement(this.#held.bytes.toString('utf8', 0, this.#held.length));
    this.#held.clear();
    this.#givenUp = false;
    return end;
  }

  #hold(read: Buffer, from: number, to: number): void {
    if (this.#givenUp) return;
    if (this.#held.length + to - from <= this.#eventBytes) {
      this.#held.append(read, from, to);
      return;
    }
    this.#givenUp = true;
    this.#held.clear();
    this.#handler.onTooLarge();
  }
}
