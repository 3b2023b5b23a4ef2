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
 * Reads chunked HTTP/1.1 answers, one after the other, as cheaply as can be: proxies frame the body anew and may
 * cut an event anywhere, so the framing has to be followed, but nothing is copied, and of the events only the
 * stamp is read.
 */
export class AnswerReader {
  readonly #sink: AnswerSink;
  readonly #scanner: StampScanner;
  #state: 'head' | 'size' | 'data' | 'data-end' | 'trailer' | 'faulty' = 'head';
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
      if (this.#state === 'data') {
        const to = Math.min(length, at + this.#left);
        this.#scanner.scan(bytes, at, to);
        this.#left -= to - at;
        at = to;
        if (this.#left === 0) this.#state = 'data-end';
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
    const status = /^HTTP\/1\.1 (\d{3})/.exec(this.#head)?.[1];
    if (status !== '200') this.#fail(`an answer was ${status ?? 'not HTTP'} in place of 200`);
    else if (!/^transfer-encoding: *chunked\r$/im.test(this.#head)) this.#fail('an answer was not chunked');
    else {
      this.#state = 'size';
      this.#head = '';
      this.#sink.head();
    }
  }

  #endLine(): void {
    const line = this.#line;
    this.#line = '';
    if (this.#state === 'data-end') this.#state = 'size';
    else if (this.#state === 'size') {
      this.#left = Number.parseInt(line, 16);
      if (Number.isNaN(this.#left)) this.#fail('a chunk had no size');
      else this.#state = this.#left === 0 ? 'trailer' : 'data';
    } else if (line === '') {
      this.#state = 'head';
      this.#sink.end();
    }
  }

  #fail(sentence: string): void {
    this.#state = 'faulty';
    this.#sink.fault(sentence);
  }
}
