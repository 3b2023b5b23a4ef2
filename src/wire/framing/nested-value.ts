const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** What a byte outside texts does to the depth; `INTO_STRING` for the quote. */
const STEP = new Int8Array(256);
const INTO_STRING = 2;
STEP[QUOTE] = INTO_STRING;
STEP[OPEN_BRACE] = STEP[OPEN_BRACKET] = 1;
STEP[CLOSE_BRACE] = STEP[CLOSE_BRACKET] = -1;

/** Bytes looked at one by one before the native search is worth its call. */
const NEAR_BYTES = 64;

/** Follows a JSON string, through reads cut anywhere, to the quote that closes it. */
export class StringEnd {
  /** The last read ended in a backslash: the next byte is no quote. */
  #escaped = false;

  /** `from` lies behind the opening quote. The place behind the closing one, or -1 where the read ends before it. */
  find(bytes: Uint8Array, from: number): number {
    let at = from;
    if (this.#escaped && at < bytes.length) {
      this.#escaped = false;
      at += 1;
    }
    while (at < bytes.length) {
      const near = Math.min(at + NEAR_BYTES, bytes.length);
      for (; at < near; at += 1) {
        const byte = bytes[at];
        if (byte === QUOTE) return at + 1;
        if (byte === BACKSLASH) at += 1;
      }
      if (at > bytes.length) this.#escaped = true;
      if (at >= bytes.length) return -1;
      const quote = bytes.indexOf(QUOTE, at);
      const end = quote < 0 ? bytes.length : quote;
      const escaped = endsEscaping(bytes, at, end);
      if (quote < 0) this.#escaped = escaped;
      else if (!escaped) return quote + 1;
      at = end + 1;
    }
    return -1;
  }
}

/** Follows a JSON object or list, through reads cut anywhere, to the bracket that closes it. Nothing is built or held. */
export class NestedValue {
  #depth = 0;
  #inString = false;
  readonly #string = new StringEnd();

  /** The first call begins at the opening bracket. The place behind the closing one, or -1 where the read ends before it. */
  find(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length) {
      if (this.#inString) {
        at = this.#string.find(bytes, at);
        if (at < 0) return -1;
        this.#inString = false;
      }
      // Numbers and blanks are most of what is neither text nor bracket: the fewest steps for each.
      while (at < bytes.length && STEP[bytes[at] ?? 0] === 0) at += 1;
      const step = STEP[bytes[at] ?? 0] ?? 0;
      at += 1;
      if (step === INTO_STRING) this.#inString = true;
      else this.#depth += step;
      if (this.#depth === 0 && step === -1) return at;
    }
    return -1;
  }
}

/** An odd run of backslashes stands before `end`; none of them lies before `from`. */
function endsEscaping(bytes: Uint8Array, from: number, end: number): boolean {
  let at = end;
  while (at > from && bytes[at - 1] === BACKSLASH) at -= 1;
  return (end - at) % 2 === 1;
}
