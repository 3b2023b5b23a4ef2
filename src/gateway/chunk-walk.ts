const CR = 0x0d;
const LF = 0x0a;
const HEAD_END = Buffer.from('\r\n\r\n');
/** Digits of a chunk's size: more would be beyond what any read holds. */
const MOST_DIGITS = 7;

/** Takes chunks of an answer's body as they came. */
export interface ChunkTaker {
  /** `body` is the chunk, `framed` the same with its size line and its end. False: wait for `resume`. */
  wholeChunk(body: Buffer, framed: Buffer): boolean;
}

/**
 * Where the chunks of a running answer begin and end (RFC 9112 §7.1). While an answer streams, most reads are whole
 * chunks, and what the client is sent is byte for byte what was read: such a read goes on as it is, past the parser,
 * which need not know (between two chunks it remembers nothing). That saves about an eighth of what an event costs.
 *
 * It takes nothing that it does not wholly understand: an extension, a last chunk, a chunk or a size line in two
 * reads are the parser's, and with the latter it loses its place for the rest of the answer.
 */
export class ChunkWalk {
  readonly #taker: ChunkTaker;
  /** Of the chunk that earlier reads began: bytes to come, its end included. -1: the place is lost, or was never known. */
  #leftBytes = -1;
  /** Where the body of the chunk begins whose size was read last. */
  #bodyAt = 0;

  constructor(taker: ChunkTaker) {
    this.#taker = taker;
  }

  /** The read that brought the head of the answer was parsed. */
  begin(read: Buffer, status: number): void {
    const startsHead = read.toString('latin1', 0, 12) === `HTTP/1.1 ${status}`;
    const end = startsHead ? read.indexOf(HEAD_END) : -1;
    if (end < 0) return;
    this.#leftBytes = 0;
    this.pass(read, end + HEAD_END.length);
  }

  /** A read that the parser is given. */
  pass(read: Buffer, from = 0): void {
    for (let at = from; at < read.length && this.#leftBytes >= 0; ) {
      if (this.#leftBytes === 0) {
        const size = this.#sizeAt(read, at);
        this.#leftBytes = size > 0 ? size + 2 : -1;
        at = this.#bodyAt;
      } else {
        const step = Math.min(this.#leftBytes, read.length - at);
        this.#leftBytes -= step;
        at += step;
      }
    }
  }

  /** Hands on a read of whole chunks. Null, and nothing was handed on, for any other; false: its taker must be waited for. */
  take(read: Buffer): boolean | null {
    if (this.#leftBytes !== 0 || !this.#isWhole(read)) return null;
    let isOpen = true;
    for (let at = 0; at < read.length; ) {
      const size = this.#sizeAt(read, at);
      const bodyAt = this.#bodyAt;
      const end = bodyAt + size + 2;
      const framed = at === 0 && end === read.length ? read : read.subarray(at, end);
      if (!this.#taker.wholeChunk(read.subarray(bodyAt, bodyAt + size), framed)) isOpen = false;
      at = end;
    }
    return isOpen;
  }

  #isWhole(read: Buffer): boolean {
    for (let at = 0; at < read.length; ) {
      const size = this.#sizeAt(read, at);
      const end = this.#bodyAt + size;
      if (size <= 0 || read[end] !== CR || read[end + 1] !== LF) return false;
      at = end + 2;
    }
    return read.length > 0;
  }

  /** The size of the chunk that begins here; -1 where there is no plain size line, whole. Sets where its body begins. */
  #sizeAt(read: Buffer, from: number): number {
    let size = 0;
    let at = from;
    for (; at - from < MOST_DIGITS; at += 1) {
      const digit = hexDigit(read[at] ?? 0);
      if (digit < 0) break;
      size = size * 16 + digit;
    }
    if (at === from || read[at] !== CR || read[at + 1] !== LF) return -1;
    this.#bodyAt = at + 2;
    return size;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
