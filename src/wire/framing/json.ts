import { asBuffer, ByteStore } from './byte-store.ts';

const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

const LF = 0x0a;
const LF_AND_BRACE = '\n{';
const CLOSE_BRACE = 0x7d;

/** A whole body, held until it is over. Bounded: beyond `eventBytes` it is dropped and `tooLarge` says so. */
export class JsonBody {
  readonly #eventBytes: number;
  readonly #body = new ByteStore();
  #tooLarge = false;
  #holdsLines = false;
  #hasFirstLine = false;
  /** So much of the body holds no line end. */
  #lineSearched = 0;

  constructor(eventBytes: number) {
    this.#eventBytes = eventBytes;
  }

  get tooLarge(): boolean {
    return this.#tooLarge;
  }

  /**
   * A second object has begun on a line of its own, which is no JSON: these are lines, although
   * nobody announced them. Seen as far as the bound reaches.
   */
  get holdsLines(): boolean {
    return this.#holdsLines;
  }

  /** What is held; valid until the next call. */
  get held(): Uint8Array {
    return this.#body.bytes.subarray(0, this.#body.length);
  }

  /** The first line, once, when it is whole and ends like an object; null before and after. */
  takeFirstLine(): string | null {
    if (this.#hasFirstLine) return null;
    const { held } = this;
    const lf = asBuffer(held).indexOf(LF, this.#lineSearched);
    this.#lineSearched = held.length;
    if (lf < 0) return null;
    this.#hasFirstLine = true;
    let end = lf;
    while (end > 0 && BLANK.has(held[end - 1] ?? 0)) end -= 1;
    return held[end - 1] === CLOSE_BRACE ? this.#body.bytes.toString('utf8', 0, end) : null;
  }

  /** Returns how many of the bytes were taken. */
  push(bytes: Uint8Array): number {
    if (this.#tooLarge) return 0;
    const before = this.#body.length;
    const taken = Math.min(bytes.length, this.#eventBytes - before);
    this.#body.append(asBuffer(bytes), 0, taken);
    this.#holdsLines = this.#hasSecondObject(before - 1);
    if (this.#holdsLines || taken === bytes.length) return taken;
    this.#tooLarge = true;
    this.#body.clear();
    return taken;
  }

  /** The body as text. Empty when there was none or it was too large. */
  end(): string {
    const text = this.#body.bytes.toString('utf8', 0, this.#body.length);
    this.#body.clear();
    return text;
  }

  #hasSecondObject(from: number): boolean {
    const { bytes, length } = this.#body;
    const held = bytes.subarray(0, length);
    for (let lf = held.indexOf(LF_AND_BRACE, Math.max(0, from)); lf >= 0; lf = held.indexOf(LF_AND_BRACE, lf + 1)) {
      let before = lf;
      while (BLANK.has(held[before] ?? 0)) before -= 1;
      if (held[before] === CLOSE_BRACE) return true;
    }
    return false;
  }
}

/**
 * Where the body begins behind blank lines and a byte order mark; the length when all of it is blank.
 * DeepSeek sends blank lines for minutes before an unstreamed answer.
 */
export function bodyStart(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length && BLANK.has(bytes[at] ?? 0)) at += 1;
  return at;
}
