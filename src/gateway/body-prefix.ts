import { type RequestFacts, readRequestFacts } from '../wire/request-facts.ts';

const OPENING_BRACE = 0x7b;
/** Space, tab, line feed, carriage return (RFC 8259 §2). */
const JSON_SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** The start of a request body, kept to be read: at most `limitBytes` of it, and nothing of what is no JSON object. */
export class BodyPrefix {
  #limitBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #nextSearchBytes = 0;
  #isObject: boolean | null = null;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** More bytes would not be kept. */
  get isFull(): boolean {
    return this.#isObject === false || this.#bytes >= this.#limitBytes;
  }

  /** No facts will ever be found. */
  get isHopeless(): boolean {
    return this.#isObject === false;
  }

  add(bytes: Buffer): void {
    this.#isObject ??= beginsObject(bytes);
    if (this.isFull) return;
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
  }

  /** What can be read so far; null when it is no JSON object. */
  facts(): RequestFacts | null {
    if (this.#isObject !== true) return null;
    const whole = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    if (whole === undefined) return null;
    this.#chunks = [whole];
    return readRequestFacts(whole.subarray(0, this.#limitBytes));
  }

  /** Everything that was added, after `facts`; null when some of it was not kept. */
  get whole(): Buffer | null {
    return this.isFull ? null : (this.#chunks[0] ?? null);
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
}

/** Null when these bytes do not tell. */
function beginsObject(bytes: Buffer): boolean | null {
  for (const byte of bytes) if (!JSON_SPACE.has(byte)) return byte === OPENING_BRACE;
  return null;
}
