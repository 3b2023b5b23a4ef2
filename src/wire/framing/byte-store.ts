/** What a stream keeps between two reads without asking for memory again. */
const KEPT_CAPACITY_BYTES = 16 * 1024;
const EMPTY = Buffer.alloc(0);

/**
 * Bytes held until the rest of them arrives. One buffer that doubles, so that neither a million
 * one-byte reads nor a 64 MB line costs more than copying each byte about twice, and so that no
 * small piece keeps the large read alive from which it was cut.
 */
export class ByteStore {
  #bytes = EMPTY;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The held bytes; valid until the next `append` or `clear`. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  append(source: Buffer, from: number, to: number): void {
    const needed = this.#length + to - from;
    if (needed > this.#bytes.length) this.#grow(needed);
    source.copy(this.#bytes, this.#length, from, to);
    this.#length = needed;
  }

  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > KEPT_CAPACITY_BYTES) this.#bytes = EMPTY;
  }

  #grow(needed: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(1024, 2 ** Math.ceil(Math.log2(needed))));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/** The same bytes with Buffer's faster search and decoding; copies nothing. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
