import { StampScanner } from './stamp-scanner.ts';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const MAX_HEAD_BYTES = 65_536;

export interface AnswerSink {
  head(): void;
  /** An event arrived that was emitted at that moment. */
  event(stampUs: number): void;
  end(): void;
  fault(sentence: string): void;
}

/**
 * Reads HTTP/1.1 answers, chunked or of a stated length, one after the other, as cheaply as can be: proxies frame the body anew and may
 * cut an event anywhere, so the framing has to be followed, but nothing is copied, and of the events only the
 * stamp is read.
 */
export class AnswerReader {
  readonly #sink: AnswerSink;
  readonly #scanner: StampScanner;
  #state: 'head' | 'size' | 'data' | 'data-end' | 'trailer' | 'whole' | 'faulty' = 'head';
  #head = '';
  #line = '';
  #left = 0;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
    this.#scanner = new StampScanner((stampUs) => sink.event(stampUs));
  }

  /** True between two answers. */
  get isAtRest(): boolean {
    return this.#state === 'head' && this.#head === '';
  }

  read(bytes: Uint8Array, length: number): void {
    let at = 0;
    while (at < length) {
      if (this.#state === 'faulty') return;
      if (this.#state === 'data' || this.#state === 'whole') {
        const to = Math.min(length, at + this.#left);
        this.#scanner.scan(bytes, at, to);
        this.#left -= to - at;
        at = to;
        if (this.#left === 0) this.#endData();
      } else {
        this.#byte(bytes[at] ?? 0);
        at += 1;
      }
    }
  }

  /** Lines: the head, chunk sizes, trailers. A few bytes per event. */
  #byte(byte: number): void {
    if (this.#state === 'head') {
      this.#head += String.fromCharCode(byte);
      if (byte === LINE_FEED && this.#head.endsWith('\r\n\r\n')) this.#endHead();
      else if (this.#head.length > MAX_HEAD_BYTES) this.#fail('an answer had no end of its head');
    } else if (byte === LINE_FEED) this.#endLine();
    else if (byte !== CARRIAGE_RETURN) this.#line += String.fromCharCode(byte);
  }

  #endHead(): void {
    const head = this.#head;
    const status = /^HTTP\/1\.1 (\d{3})/.exec(head)?.[1];
    const length = /^content-length: *(\d+)\r$/im.exec(head)?.[1];
    if (status !== '200') this.#fail(`an answer was ${status ?? 'not HTTP'} in place of 200`);
    else if (/^transfer-encoding: *chunked\r$/im.test(head)) this.#begin('size', 0);
    else if (length !== undefined && Number(length) > 0) this.#begin('whole', Number(length));
    else this.#fail('an answer had neither chunks nor a length');
  }

  #begin(state: 'size' | 'whole', left: number): void {
    this.#state = state;
    this.#left = left;
    this.#head = '';
    this.#sink.head();
  }

  #endData(): void {
    if (this.#state === 'data') this.#state = 'data-end';
    else this.#endAnswer();
  }

  #endAnswer(): void {
    this.#state = 'head';
    this.#sink.end();
  }

  #endLine(): void {
    const line = this.#line;
    this.#line = '';
    if (this.#state === 'data-end') this.#state = 'size';
    else if (this.#state === 'size') {
      this.#left = Number.parseInt(line, 16);
      if (Number.isNaN(this.#left)) this.#fail('a chunk had no size');
      else this.#state = this.#left === 0 ? 'trailer' : 'data';
    } else if (line === '') this.#endAnswer();
  }

  #fail(sentence: string): void {
    this.#state = 'faulty';
    this.#sink.fault(sentence);
  }
}
