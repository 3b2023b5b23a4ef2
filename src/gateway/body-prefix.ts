import { readFormFacts } from '../wire/form-facts.ts';
import { type RequestFacts, readRequestFacts } from '../wire/request-facts.ts';

const OPENING_BRACE = 0x7b;
/** Space, tab, line feed, carriage return (RFC 8259 §2), and the bytes of a byte order mark, which some senders put first. */
const JSON_SPACE = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/** What the bytes of a body say: of a form with this boundary, else of a JSON object. */
export function readBodyFacts(bytes: Uint8Array, boundary: string | null): RequestFacts | null {
  return boundary === null ? readRequestFacts(bytes) : readFormFacts(bytes, boundary);
}

/** The start of a request body, kept to be read: at most `limitBytes` of it, and nothing of what is neither form nor JSON object. */
export class BodyPrefix {
  #limitBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #nextSearchBytes = 0;
  readonly #boundary: string | null;
  #isReadable: boolean | null = null;

  /** `boundary`: of a form. */
  constructor(limitBytes: number, boundary: string | null = null) {
    this.#limitBytes = limitBytes;
    this.#boundary = boundary;
    if (boundary !== null) this.#isReadable = true;
  }

  /** More bytes would not be kept. */
  get isFull(): boolean {
    return this.#isReadable === false || this.#bytes >= this.#limitBytes;
  }

  /** No facts will ever be found. */
  get isHopeless(): boolean {
    return this.#isReadable === false;
  }

  add(bytes: Buffer): void {
    this.#isReadable ??= beginsObject(bytes);
    if (this.isFull) return;
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
  }

  /** What can be read so far; null when it is neither form nor JSON object. */
  facts(): RequestFacts | null {
    if (this.#isReadable !== true) return null;
    return readBodyFacts(this.#joined().subarray(0, this.#limitBytes), this.#boundary);
  }

  /** Everything that was added; null when some of it was not kept, or when it is a form. */
  whole(): Buffer | null {
    return this.isFull || this.#boundary !== null ? null : this.#joined();
  }

  /** `facts`, but only when the prefix has doubled since the last call, so that all searches together stay linear. */
  factsIfDoubled(): RequestFacts | null {
    if (this.#bytes < this.#nextSearchBytes) return null;
    this.#nextSearchBytes = this.#bytes * 2;
    return this.facts();
  }

  limitTo(bytes: number): void {
    this.#limitBytes = bytes;
  }

  #joined(): Buffer {
    const [only] = this.#chunks;
    const whole = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
    this.#chunks = [whole];
    return whole;
  }
}

/** Null when these bytes do not tell. */
function beginsObject(bytes: Buffer): boolean | null {
  for (const byte of bytes) if (!JSON_SPACE.has(byte)) return byte === OPENING_BRACE;
  return null;
}
