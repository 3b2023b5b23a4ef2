import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { Decoded, Decoder } from '../meter/opening.ts';
import { type ReadBeginning, readablePart, readBrotli, readDeflate, readGzip, readZlib } from './readable-part.ts';

/** Encoded bytes that may wait to be taken apart; a relay that far ahead of its meter is not held up for it. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
/** What a few bytes may become: text compresses a hundredfold at most, a bomb a thousandfold. */
const MAX_RATIO = 200;
const FREE_BYTES = 1024 * 1024;
/** Of a shorter answer what came is kept, for the case that it is broken somewhere: then what stands before the fault counts. */
const KEPT_BYTES = 64 * 1024;

/** Every event is handed on as it comes, not when a block is full. */
const SYNC = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

interface Format {
  readonly open: () => Transform;
  readonly read: ReadBeginning;
}

const GZIP: Format = { open: () => createGunzip(SYNC), read: readGzip };
const ZLIB: Format = { open: () => createInflate(SYNC), read: readZlib };
const DEFLATE: Format = { open: () => createInflateRaw(SYNC), read: readDeflate };
const BR: Format = { open: () => createBrotliDecompress(BROTLI), read: readBrotli };

/** By encoding, and by the first byte where one name stands for two formats. */
const FORMATS: Readonly<Record<string, (first: number) => Format>> = {
  gzip: () => GZIP,
  'x-gzip': () => GZIP,
  // The zlib format, as the standard says (RFC 9110 §8.4.1.2), or bare deflate, as many servers send.
  deflate: (first) => ((first & 0x0f) === ZLIB_METHOD ? ZLIB : DEFLATE),
  br: () => BR,
};

/** The method in the first byte of the zlib format (RFC 1950 §2.2); no bare deflate stream of text begins so. */
const ZLIB_METHOD = 8;

/**
 * Takes a copy of an encoded answer apart on zlib's own threads; the client gets the bytes as they
 * came (FAULTS B57). Null for an encoding Node 20 does not know, such as zstd.
 */
export function openInflater(encoding: string, decoded: Decoded): Decoder | null {
  const formatOf = FORMATS[encoding];
  return formatOf === undefined ? null : new Inflater(formatOf, decoded);
}

interface Waiting {
  bytes: Uint8Array;
  atMs: number;
}

class Inflater implements Decoder {
  readonly #formatOf: (first: number) => Format;
  readonly #decoded: Decoded;
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #takenBytes = 0;
  #givenBytes = 0;
  /** When the bytes that are being taken apart arrived. */
  #atMs = 0;
  #stream: Transform | null = null;
  /** What was taken, as long as it is little; how much of it without a fault. */
  #kept: Uint8Array[] | null = [];
  #soundBytes = 0;
  #isBusy = false;
  #hasFailed = false;
  #onEnd: (() => void) | null = null;

  constructor(formatOf: (first: number) => Format, decoded: Decoded) {
    this.#formatOf = formatOf;
    this.#decoded = decoded;
  }

  push(bytes: Uint8Array, atMs: number): void {
    if (this.#hasFailed) return;
    this.#waiting.push({ bytes, atMs });
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#giveUp();
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
    this.#keep(piece.bytes);
    this.#stream.write(piece.bytes, (error) => {
      if (error || this.#hasFailed) return;
      this.#soundBytes = this.#takenBytes;
      this.#isBusy = false;
      this.#next();
    });
  }

  #keep(bytes: Uint8Array): void {
    if (this.#takenBytes > KEPT_BYTES) this.#kept = null;
    else this.#kept?.push(bytes);
  }

  #begin(first: number): Transform {
    const format = this.#formatOf(first);
    const stream = format.open();
    stream.on('data', (plain: Uint8Array) => this.#give(plain));
    stream.on('error', () => void this.#break(format.read));
    return stream;
  }

  #give(plain: Uint8Array): void {
    if (this.#hasFailed) return;
    this.#givenBytes += plain.length;
    if (this.#givenBytes > FREE_BYTES + MAX_RATIO * this.#takenBytes) this.#giveUp();
    else this.#decoded.plain(plain, this.#atMs);
  }

  /** It is too much. */
  #giveUp(): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#fail({ isBroken: false });
  }

  /** The bytes are broken: what stands before the fault, in the same piece, still counts. */
  async #break(read: ReadBeginning): Promise<void> {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const bytes = Buffer.concat(this.#kept ?? []);
    const maxTextBytes = FREE_BYTES + MAX_RATIO * bytes.length;
    const text = await readablePart(read, bytes, { soundBytes: this.#soundBytes, maxTextBytes });
    if (text.length > this.#givenBytes) this.#decoded.plain(text.subarray(this.#givenBytes), this.#atMs);
    this.#fail({ isBroken: true });
  }

  #fail({ isBroken }: { isBroken: boolean }): void {
    this.#waiting.length = 0;
    this.#kept = null;
    this.#decoded.failed(isBroken);
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
