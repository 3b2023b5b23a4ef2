const NEWLINE = 10;
/** Far longer than a record can be; more of a line is not kept, so that a file without newlines does not fill the memory. */
const LONGEST_LINE_BYTES = 256 * 1_024;

/** Cuts bytes into lines as they come. Told a line without its newline, and null for one that is too long. */
export class Lines {
  readonly #onLine: (text: string | null) => void;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(onLine: (text: string | null) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      if (this.#bytes === 0) this.#onLine(textOf(chunk, start, end));
      else {
        this.#keep(chunk.subarray(start, end));
        this.#tell();
      }
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** The last line may lack its newline: it is one all the same. */
  end(): void {
    if (this.#bytes > 0) this.#tell();
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes <= LONGEST_LINE_BYTES) this.#parts.push(part);
    else this.#parts = [];
  }

  #tell(): void {
    const line = Buffer.concat(this.#parts);
    const isCut = this.#bytes > LONGEST_LINE_BYTES;
    this.#parts = [];
    this.#bytes = 0;
    this.#onLine(isCut ? null : line.toString('utf8'));
  }
}

function textOf(chunk: Buffer, start: number, end: number): string | null {
  return end - start > LONGEST_LINE_BYTES ? null : chunk.toString('utf8', start, end);
}
