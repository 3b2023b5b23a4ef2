/** What a reader of standard output may fall behind, before lines are dropped rather than memory filled. */
const UNREAD_BYTES = 8 * 1_024 * 1_024;
/** As much as one write takes. */
const GATHERED_CHARACTERS = 16 * 1_024;
/** How long a line waits for others. */
const GATHER_MS = 50;

/** Writes in the background, in order. It tells of each write, how many bytes of it were taken, and of each that failed. */
interface Destination {
  write(text: string): unknown;
  on(event: 'write', told: (bytes: number) => void): unknown;
  on(event: 'error', told: (error: NodeJS.ErrnoException) => void): unknown;
}

/**
 * Lines on their way to standard output. Each write goes to a thread and back, which costs more than all
 * that is done for a short request: so lines that come often are gathered, and written a few at once.
 */
export class LogLines {
  readonly #stream: Destination;
  #gathered = '';
  /** Bytes that are not written yet. */
  #unread = 0;
  #isBroken = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(stream: Destination) {
    this.#stream = stream;
    stream.on('write', (bytes) => {
      this.#unread -= bytes;
    });
    // Without a listener, a full disk or a reader that left would end the process.
    stream.on('error', (error) => {
      this.#isBroken ||= error.code === 'EPIPE';
    });
  }

  /** Takes a line, its end included, to be written within 50 ms; false when it was dropped. */
  add(line: string): boolean {
    if (!this.#take(line)) return false;
    if (this.#gathered.length >= GATHERED_CHARACTERS) this.write();
    else this.#timer ??= setTimeout(() => this.write(), GATHER_MS).unref();
    return true;
  }

  /** The same, to be written at once, behind what waits. */
  addNow(line: string): boolean {
    const isTaken = this.#take(line);
    this.write();
    return isTaken;
  }

  /** Hands everything to the system, in the background. */
  write(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#gathered === '') return;
    const lines = this.#gathered;
    this.#gathered = '';
    this.#stream.write(lines);
  }

  #take(line: string): boolean {
    const bytes = Buffer.byteLength(line);
    if (this.#isBroken || this.#unread + bytes > UNREAD_BYTES) return false;
    this.#unread += bytes;
    this.#gathered += line;
    return true;
  }
}
