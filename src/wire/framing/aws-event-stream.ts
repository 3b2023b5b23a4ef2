import { frameHeaders } from './aws-headers.ts';
import { asBuffer, ByteStore } from './byte-store.ts';
import { crc32 } from './crc32.ts';

/** Total length, header length and the checksum of both: enough to know where a frame ends. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const SMALLEST_FRAME_BYTES = PRELUDE_BYTES + CHECKSUM_BYTES;
/** The format allows no more, and few other bytes look like so few: a quick test before the checksum. */
const MOST_HEADER_BYTES = 128 * 1024;

export interface FrameHandler {
  /** One sound frame: its headers that are strings, and its payload as text. */
  onFrame(headers: ReadonlyMap<string, string>, payload: string): void;
  /** Bytes that are no frame, or a frame whose content is damaged. Called once for each such place. */
  onDamaged(): void;
  /** A frame outgrew the bound and was passed over. Called once for it. */
  onTooLarge(): void;
}

/**
 * AWS binary frames (`application/vnd.amazon.eventstream`) out of bytes that arrive cut anywhere:
 * prelude, headers, payload, checksum, all numbers big-endian
 * (https://smithy.io/2.0/aws/amazon-eventstream.html).
 *
 * Both checksums are verified. A sound prelude tells where the next frame begins even if this one is
 * damaged or too large; where the prelude itself is damaged, framing goes on at the next place at
 * which a sound one stands. What is held is bounded: at most one frame of `eventBytes`, and a read.
 */
export class AwsFramer {
  readonly #handler: FrameHandler;
  readonly #eventBytes: number;
  /** What earlier reads brought of a prelude or of a frame with a sound one. */
  readonly #held = new ByteStore();
  /** Bytes that make whole what is held. */
  #neededBytes = PRELUDE_BYTES;
  /** What is still to come of a frame that is passed over. */
  #skipBytes = 0;
  /** Looking for a sound prelude, byte by byte. */
  #lost = false;

  constructor(handler: FrameHandler, eventBytes: number) {
    this.#handler = handler;
    this.#eventBytes = eventBytes;
  }

  push(bytes: Uint8Array): void {
    const read = asBuffer(bytes);
    let at = this.#skip(0, read.length);
    const from = at;
    while (this.#held.length > 0) {
      const taken = Math.min(this.#neededBytes - this.#held.length, read.length - at);
      this.#held.append(read, at, at + taken);
      at += taken;
      if (this.#held.length < this.#neededBytes) return;
      at = this.#skip(this.#settleHeld(from, at), read.length);
    }
    while (at < read.length) {
      const end = this.#endOfNext(read, at, read.length);
      if (end === null) {
        this.#held.append(read, at, read.length);
        return;
      }
      at = this.#skip(end, read.length);
    }
  }

  /** Decides on what is held, now that it is whole. Returns the place in the read at which to go on. */
  #settleHeld(from: number, at: number): number {
    const { bytes, length } = this.#held;
    const end = this.#endOfNext(bytes, 0, length);
    if (end === null) return at; // a prelude, and its frame is still to come
    this.#held.clear();
    if (end > length) this.#skipBytes = end - length;
    // No prelude begins here. Where the other bytes are all of this read, they can be looked at there.
    else if (at - from >= length - end) return at - (length - end);
    else this.#held.append(bytes, end, length);
    return at;
  }

  /**
   * Takes the frame that begins here. Returns where to look for the next one, which lies beyond `to`
   * when the frame is passed over; null when it is not whole.
   */
  #endOfNext(bytes: Buffer, at: number, to: number): number | null {
    if (to - at < PRELUDE_BYTES) return null;
    if (!hasPrelude(bytes, at)) {
      if (!this.#lost) this.#handler.onDamaged();
      this.#lost = true;
      return nextCandidate(bytes, at + 1, to);
    }
    this.#lost = false;
    const end = at + bytes.readUInt32BE(at);
    if (end - at > this.#eventBytes) this.#handler.onTooLarge();
    else if (end > to) {
      this.#neededBytes = end - at;
      return null;
    } else this.#takeFrame(bytes, at, end);
    this.#neededBytes = PRELUDE_BYTES;
    return end;
  }

  /** The place itself, or the end of the read where that lies before it or before what is to be skipped. */
  #skip(at: number, length: number): number {
    const place = Math.min(at + this.#skipBytes, length);
    this.#skipBytes += at - place;
    return place;
  }

  #takeFrame(bytes: Buffer, from: number, to: number): void {
    const end = to - CHECKSUM_BYTES;
    if (crc32(bytes, from, end) !== bytes.readUInt32BE(end)) {
      this.#handler.onDamaged();
      return;
    }
    const payload = from + PRELUDE_BYTES + bytes.readUInt32BE(from + 4);
    this.#handler.onFrame(frameHeaders(bytes, from + PRELUDE_BYTES, payload), bytes.toString('utf8', payload, end));
  }
}

/** A prelude whose checksum is right and whose lengths can be. */
function hasPrelude(bytes: Buffer, at: number): boolean {
  const total = bytes.readUInt32BE(at);
  const headers = bytes.readUInt32BE(at + 4);
  if (headers > MOST_HEADER_BYTES || headers > total - SMALLEST_FRAME_BYTES) return false;
  return crc32(bytes, at, at + 8) === bytes.readUInt32BE(at + 8);
}

/** The next place where few enough headers would follow, or the first whose prelude is not whole. */
function nextCandidate(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at + PRELUDE_BYTES <= to && (bytes[at + 4] !== 0 || (bytes[at + 5] ?? 0) > MOST_HEADER_BYTES >> 16)) at += 1;
  return at;
}
