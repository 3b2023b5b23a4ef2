import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';
import type { ReceivedHead } from './answer-head.ts';
import { fieldOf } from './answer-head.ts';

/** A refusal says what it minds within this; more of it is not waited for. */
const MAX_BYTES = 64 * 1024;

const GZIP = { maxOutputLength: MAX_BYTES, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = { maxOutputLength: MAX_BYTES, finishFlush: constants.BROTLI_OPERATION_FLUSH };
const OPENERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  '': (bytes) => bytes,
  identity: (bytes) => bytes,
  gzip: (bytes) => gunzipSync(bytes, GZIP),
  'x-gzip': (bytes) => gunzipSync(bytes, GZIP),
  deflate: (bytes) => inflateSync(bytes, GZIP),
  br: (bytes) => brotliDecompressSync(bytes, BROTLI),
};

/** An answer that is kept back until it is known what it refuses. */
export class Refusal {
  readonly head: ReceivedHead;
  readonly #parts: Buffer[] = [];
  #length = 0;

  constructor(head: ReceivedHead) {
    this.head = head;
  }

  add(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }

  get isFull(): boolean {
    return this.#length > MAX_BYTES;
  }

  get body(): Buffer {
    return Buffer.concat(this.#parts);
  }

  /** Its text holds this word. What cannot be decoded names nothing. */
  names(word: string): boolean {
    const encoding = fieldOf(this.head.rawHeaders, 'content-encoding');
    try {
      return OPENERS[encoding]?.(this.body).includes(word) ?? false;
    } catch {
      return false;
    }
  }
}
