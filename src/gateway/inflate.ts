import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { Decoded, Decoder } from '../meter/opening.ts';

/** Encoded bytes that may wait to be taken apart; a relay that far ahead of its meter is not held up for it. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
/** What a few bytes may become: text compresses a hundredfold at most, a bomb a thousandfold. */
const MAX_RATIO = 200;
const FREE_BYTES = 1024 * 1024;

/** Every event is handed on as it comes, not when a block is full. */
const SYNC = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

/** By encoding, and by the first byte where one name stands for two formats. */
const OPENERS: Readonly<Record<string, (first: number) => Transform>> = {
  gzip: () => createGunzip(SYNC),
  'x-gzip': () => createGunzip(SYNC),
  // The zlib format, as the standard says (RFC 9110 §8.4.1.2), or bare deflate, as many servers send.
  deflate: (first) => ((first & 0x0f) === ZLIB_METHOD ? createInflate(SYNC) : createInflateRaw(SYNC)),
  br: () => createBrotliDecompress(BROTLI),
};

/** The method in the first byte of the zlib format (RFC 1950 §2.2); no bare deflate stream of text begins so. */
const ZLIB_METHOD = 8;

/**
 * Takes a copy of an encoded answer apart on zlib's own threads; the client gets the bytes as they
 * came (FAULTS B57). Null for an encoding Node 20 does not know, such as zstd.
 */
export function openInflater(encoding: string, decoded: Decoded): Decoder | null {
  const open = OPENERS[encoding];
  return open === undefined ? null : new Inflater(open, decoded);
}

interface Waiting {
  bytes: Uint8Array;
  atMs: number;
}

class Inflater implements Decoder {
  readonly #open: (first: number) => Transform;
  readonly #decoded: Decoded;
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #takenBytes = 0;
  #givenBytes = 0;
  /** When the bytes that are being taken apart arrived. */
  #atMs = 0;
  #stream: Transform | null = null;
  #isBusy = false;
  #hasFailed = false;
  #onEnd: (() => void) | null = null;

  constructor(open: (first: number) => Transform, decoded: Decoded) {
    this.#open = open;
    this.#decoded = decoded;
  }

  push(bytes: Uint8Array, atMs: number): void {
    if (this.#hasFailed) return;
    this.#waiting.push({ bytes, atMs });
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#fail();
    else this.#next();
  }

  end(done: () => void): void {
    this.#onEnd = done;
    this.#next();
  }

  /** One piece at a time, so that every byte of text is known by the moment its piece arrived. */
  #next(): void {
    if (this.#isBusy) return;
    const piece = this.#hasFailed ? undefined : this.#waiting.shift();
    if (piece === undefined) {
      this.#finish();
      return;
    }
    this.#isBusy = true;
    this.#atMs = piece.atMs;
    this.#waitingBytes -= piece.bytes.length;
    this.#takenBytes += piece.bytes.length;
    this.#stream ??= this.#begin(piece.bytes[0] ?? 0);
    this.#stream.write(piece.bytes, () => {
      this.#isBusy = false;
      this.#next();
    });
  }

  #begin(first: number): Transform {
    const stream = this.#open(first);
    stream.on('data', (plain: Uint8Array) => this.#give(plain));
    stream.on('error', () => this.#fail());
    return stream;
  }

  #give(plain: Uint8Array): void {
    if (this.#hasFailed) return;
    this.#givenBytes += plain.length;
    if (this.#givenBytes > FREE_BYTES + MAX_RATIO * this.#takenBytes) this.#fail();
    else this.#decoded.plain(plain, this.#atMs);
  }

  #fail(): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#waiting.length = 0;
    this.#decoded.failed();
    this.#isBusy = false;
    this.#stream?.destroy();
    this.#finish();
  }

  #finish(): void {
    const done = this.#onEnd;
    if (done === null) return;
    this.#onEnd = null;
    this.#stream?.destroy();
    done();
  }
}
