import { parseObject } from './json.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const N = 0x6e;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** `choices` with every letter escaped, the longest key that matters. */
const KEY_BYTES = 42;

/**
 * Follows the text of one event, cut anywhere, for as long as it can still become a usage chunk: an
 * object whose `choices` is empty, null or missing and whose `usage` is not null. An ordinary chunk is told
 * apart at the first byte inside its `choices`. It only rules out: that the text is JSON at all is
 * for JSON.parse to say, when it is whole.
 */
export class UsageChunkScan {
  /** It is something else, whatever follows. */
  isRuledOut = false;
  #depth = 0;
  #inString = false;
  #escaped = false;
  readonly #key = Buffer.allocUnsafe(KEY_BYTES);
  #keyLength = 0;
  /** At the top level, between a member's colon and its end. */
  #inValue = false;
  /** The next byte that is not blank begins the value of this key. */
  #awaited: string | null = null;
  /** Inside `choices`, and nothing has come yet. */
  #inChoices = false;

  reset(): void {
    this.isRuledOut = false;
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
    this.#keyLength = 0;
    this.#inValue = false;
    this.#awaited = null;
    this.#inChoices = false;
  }

  push(bytes: Buffer, from: number, to: number): void {
    for (let at = from; at < to && !this.isRuledOut; at += 1) {
      const byte = bytes[at] ?? 0;
      if (this.#inString) this.#insideString(byte);
      else if (byte > 0x20) this.#outsideStrings(byte);
    }
  }

  #insideString(byte: number): void {
    if (byte === QUOTE && !this.#escaped) {
      this.#inString = false;
      return;
    }
    this.#escaped = byte === BACKSLASH && !this.#escaped;
    if (this.#depth !== 1 || this.#inValue) return;
    if (this.#keyLength < KEY_BYTES) this.#key[this.#keyLength] = byte;
    this.#keyLength += 1;
  }

  #outsideStrings(byte: number): void {
    if (this.#mustNotBegin(byte)) {
      this.isRuledOut = true;
      return;
    }
    switch (byte) {
      case QUOTE:
        this.#inString = true;
        if (!this.#inValue) this.#keyLength = 0;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        this.#depth += 1;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        this.#depth -= 1;
        break;
      case COLON:
        if (this.#depth === 1) {
          this.#inValue = true;
          this.#awaited = this.#readKey();
        }
        break;
      case COMMA:
        if (this.#depth === 1) this.#inValue = false;
        break;
    }
  }

  /** This byte, in this place, makes it something else. */
  #mustNotBegin(byte: number): boolean {
    const awaited = this.#awaited;
    this.#awaited = null;
    if (this.#inChoices) {
      this.#inChoices = false;
      return byte !== CLOSE_BRACKET;
    }
    if (this.#depth === 0) return byte !== OPEN_BRACE;
    if (awaited === 'usage') return byte === N;
    if (awaited !== 'choices') return false;
    this.#inChoices = byte === OPEN_BRACKET;
    return !this.#inChoices && byte !== N;
  }

  #readKey(): string | null {
    if (this.#keyLength > KEY_BYTES) return null;
    const key = this.#key.toString('latin1', 0, this.#keyLength);
    if (!key.includes('\\')) return key;
    return Object.keys(parseObject(`{"${key}":0}`) ?? {})[0] ?? null;
  }
}
