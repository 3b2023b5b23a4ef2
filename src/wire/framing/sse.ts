import { asBuffer, ByteStore } from './byte-store.ts';

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const DATA = Buffer.from('data');
const EVENT = Buffer.from('event');
const ERROR = Buffer.from('error');
/** The fields that are read; `id`, `retry` and unknown ones mean nothing to a meter. */
const FIELDS = [DATA, EVENT, ERROR];

export interface SseHandler {
  /** One event: its name, '' when it has none, and its data lines joined by LF. */
  onEvent(event: string, data: string): void;
  /** An event outgrew the bound and was given up. Called once for it. */
  onTooLarge(): void;
}

/**
 * Server-sent events out of bytes that arrive cut anywhere, by the WHATWG standard
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation), with
 * two additions: an unfinished last event is delivered by `end`, since metering is lenient, and the
 * non-standard field `error:` of old llama.cpp (FAULTS B50) stands for an event of that name.
 *
 * Only whole lines are decoded, so a UTF-8 sequence cut in two stays whole. No byte is searched
 * twice for the same line end. What is held is bounded: an event whose data lines and current line
 * exceed `eventBytes` together is given up, its bytes are dropped as they come, and framing goes on
 * after the next blank line. That depends on what the bytes say, never on how they were cut.
 *
 * Lines are taken in order and with their place in the read, so the byte range of an event follows
 * from a running count of the bytes before the read, should one have to be cut out of the relay.
 */
export class SseFramer {
  readonly #handler: SseHandler;
  readonly #eventBytes: number;
  /** The unfinished line that earlier reads brought. */
  readonly #line = new ByteStore();
  /** The stream's first line, the only one before which a byte order mark is not data. */
  #atFirstLine = true;
  /** The last read ended in CR: an LF at the start of the next belongs to it. */
  #afterCr = false;
  #event = '';
  #data: string | null = null;
  /** Data lines after the first. Most events have none. */
  #moreData: string[] | null = null;
  #dataBytes = 0;
  /** Dropping what comes, up to the next blank line. */
  #givenUp = false;
  /** While dropping: no byte of the current line was seen yet. */
  #droppedLineIsEmpty = true;

  constructor(handler: SseHandler, eventBytes: number) {
    this.#handler = handler;
    this.#eventBytes = eventBytes;
  }

  /** Nothing of an event is held: the next byte begins one. */
  get isBetweenEvents(): boolean {
    return this.#line.length === 0 && this.#data === null && this.#event === '' && !this.#afterCr && !this.#givenUp;
  }

  push(bytes: Uint8Array): void {
    const read = asBuffer(bytes);
    const length = read.length;
    if (length === 0) return;
    let at = this.#afterCr && read[0] === LF ? 1 : 0;
    this.#afterCr = false;
    let lf = position(read, LF, at);
    let cr = position(read, CR, at);
    while (lf < length || cr < length) {
      const end = Math.min(lf, cr);
      this.#endLine(read, at, end);
      at = end + 1;
      if (end === cr) {
        if (at === length) this.#afterCr = true;
        else if (read[at] === LF) at += 1;
        cr = position(read, CR, at);
      }
      if (lf < at) lf = position(read, LF, at);
    }
    if (at < length) this.#hold(read, at, length);
  }

  /** The stream is over: an event without its closing blank line, and a line without its end, count. */
  end(): void {
    if (this.#givenUp) return;
    if (this.#line.length > 0) this.#takeLine(this.#line.bytes, 0, this.#line.length);
    this.#dispatch();
  }

  #endLine(read: Buffer, from: number, to: number): void {
    if (!this.#givenUp && this.#line.length === 0) {
      this.#takeLine(read, from, to);
      return;
    }
    if (from < to) this.#hold(read, from, to);
    if (this.#givenUp) {
      if (this.#droppedLineIsEmpty) this.#givenUp = false;
      this.#droppedLineIsEmpty = true;
      return;
    }
    this.#takeLine(this.#line.bytes, 0, this.#line.length);
    this.#line.clear();
  }

  #hold(read: Buffer, from: number, to: number): void {
    if (this.#givenUp) this.#droppedLineIsEmpty = false;
    else if (this.#dataBytes + this.#line.length + to - from > this.#eventBytes) this.#giveUp(false);
    else this.#line.append(read, from, to);
  }

  #takeLine(bytes: Buffer, start: number, to: number): void {
    if (this.#dataBytes + to - start > this.#eventBytes) {
      this.#giveUp(true);
      return;
    }
    const from = this.#atFirstLine && beginsWithMark(bytes, start, to) ? start + 3 : start;
    this.#atFirstLine = false;
    if (from === to) {
      this.#dispatch();
      return;
    }
    const field = fieldOf(bytes, from, to);
    if (field === null) return;
    const value = fieldValue(bytes, from + field.length, to);
    if (field === EVENT) this.#event = value;
    else this.#addData(value, to - from);
    if (field === ERROR) this.#event = 'error';
  }

  #addData(value: string, lineBytes: number): void {
    this.#dataBytes += lineBytes;
    if (this.#data === null) this.#data = value;
    else if (this.#moreData === null) this.#moreData = [value];
    else this.#moreData.push(value);
  }

  #dispatch(): void {
    const event = this.#event;
    const data = this.#moreData === null ? this.#data : `${this.#data}\n${this.#moreData.join('\n')}`;
    this.#forget();
    if (data !== null) this.#handler.onEvent(event, data);
  }

  #giveUp(atLineEnd: boolean): void {
    this.#givenUp = true;
    this.#droppedLineIsEmpty = atLineEnd;
    this.#atFirstLine = false;
    this.#line.clear();
    this.#forget();
    this.#handler.onTooLarge();
  }

  #forget(): void {
    this.#event = '';
    this.#data = null;
    this.#moreData = null;
    this.#dataBytes = 0;
  }
}

/** Where the byte next stands; the length when it does not. */
function position(bytes: Buffer, byte: number, from: number): number {
  if (bytes[from] === byte) return from;
  const found = bytes.indexOf(byte, from);
  return found < 0 ? bytes.length : found;
}

/** A byte order mark, which is no part of the first line. */
function beginsWithMark(bytes: Buffer, from: number, to: number): boolean {
  return to - from >= 3 && bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf;
}

/** The field whose name ends at a colon or with the line; null for others and for comments. */
function fieldOf(bytes: Buffer, from: number, to: number): Buffer | null {
  for (const name of FIELDS) {
    const end = from + name.length;
    if (end > to || (end < to && bytes[end] !== COLON)) continue;
    let i = 0;
    while (i < name.length && bytes[from + i] === name[i]) i += 1;
    if (i === name.length) return name;
  }
  return null;
}

function fieldValue(bytes: Buffer, afterName: number, to: number): string {
  if (afterName === to) return '';
  const from = bytes[afterName + 1] === SPACE && afterName + 1 < to ? afterName + 2 : afterName + 1;
  return bytes.toString('utf8', from, to);
}
