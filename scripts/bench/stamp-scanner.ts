import { STAMP_DIGITS, STAMP_MARK } from './event.ts';

const MARK = Buffer.from(STAMP_MARK);
const ZERO = 48;

/**
 * Finds the stamps in a stream of bytes that may be cut anywhere. A mismatch can start over at the first byte of
 * the mark only, because that byte does not come again in it.
 */
export class StampScanner {
  readonly #onStamp: (stampUs: number) => void;
  #matched = 0;
  #digits = 0;
  #stamp = 0;

  constructor(onStamp: (stampUs: number) => void) {
    this.#onStamp = onStamp;
  }

  scan(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] ?? 0;
      if (this.#matched < MARK.length)
        this.#matched = byte === MARK[this.#matched] ? this.#matched + 1 : startsMark(byte);
      else this.#digit(byte - ZERO);
    }
  }

  #digit(digit: number): void {
    this.#stamp = this.#stamp * 10 + digit;
    this.#digits += 1;
    if (this.#digits < STAMP_DIGITS) return;
    this.#onStamp(this.#stamp);
    this.#matched = 0;
    this.#digits = 0;
    this.#stamp = 0;
  }
}

function startsMark(byte: number): 0 | 1 {
  return byte === MARK[0] ? 1 : 0;
}
