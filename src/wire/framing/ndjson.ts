import { asBuffer, ByteStore } from './byte-store.ts';

const LF = 0x0a;

export interface LineHandler {
  /** One line without its end. Blank lines are not told. */
  onLine(line: string): void;
  /** A line outgrew the bound and was given up. Called once for it. */
  onTooLarge(): void;
}

/**
 * Newline-delimited JSON (https://github.com/ndjson/ndjson-spec) out of bytes that arrive cut
 * anywhere. A line ends in LF; a CR before it is blank space, as JSON has it. `end` delivers a last
 * line that lacks its LF. Only whole lines are decoded, no byte is searched twice, and a line beyond
 * `eventBytes` is dropped as it comes.
 */
export class LineFramer {
  readonly #handler: LineHandler;
  readonly #eventBytes: number;
  /** The unfinished line that earlier reads brought. */
  readonly #line = new ByteStore();
  /** Dropping what comes, up to the next LF. */
  #givenUp = false;

  constructor(handler: LineHandler, eventBytes: number) {
    this.#handler = handler;
    this.#eventBytes = eventBytes;
  }

  /** Nothing of a line is held: the next byte begins one. */
  get isBetweenEvents(): boolean {
    return this.#line.length === 0 && !this.#givenUp;
  }

  push(bytes: Uint8Array): void {
    const read = asBuffer(bytes);
    let at = 0;
    for (let lf = read.indexOf(LF); lf >= 0; lf = read.indexOf(LF, at)) {
      this.#endLine(read, at, lf);
      at = lf + 1;
    }
    if (at < read.length) this.#hold(read, at, read.length);
  }

  /** The stream is over: a line without its end counts. */
  end(): void {
    if (this.#line.length > 0) this.#tell(this.#line.bytes, 0, this.#line.length);
    this.#line.clear();
  }

  #endLine(read: Buffer, from: number, to: number): void {
    if (!this.#givenUp && this.#line.length === 0 && to - from <= this.#eventBytes) {
      this.#tell(read, from, to);
      return;
    }
    this.#hold(read, from, to);
    if (!this.#givenUp) this.#tell(this.#line.bytes, 0, this.#line.length);
    this.#givenUp = false;
    this.#line.clear();
  }

  #hold(read: Buffer, from: number, to: number): void {
    if (this.#givenUp) return;
    if (this.#line.length + to - from <= this.#eventBytes) {
      this.#line.append(read, from, to);
      return;
    }
    this.#givenUp = true;
    this.#line.clear();
    this.#handler.onTooLarge();
  }

  #tell(bytes: Buffer, from: number, to: number): void {
    const line = bytes.toString('utf8', from, to).trim();
    if (line !== '') this.#handler.onLine(line);
  }
}
