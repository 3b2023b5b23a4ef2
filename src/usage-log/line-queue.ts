/** A line waiting to be written, with its size, so that a full queue is known without encoding anything twice. */
interface Line {
  readonly text: string;
  readonly bytes: number;
}

/** Whole lines joined for one write. `ends[i]` is the byte at which line `i` is complete. */
export interface Batch {
  readonly bytes: Uint8Array;
  readonly ends: readonly number[];
}

/**
 * Lines between the request that ended and the disk, first in, first out, bounded in bytes.
 * A line leaves only by `release`, once it is in the file, so that a failed write forgets nothing.
 */
export class LineQueue {
  readonly #maxBytes: number;
  #lines: Line[] = [];
  #head = 0;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#lines.length - this.#head;
  }

  /** Size of the oldest line; 0 when nothing waits. */
  get firstBytes(): number {
    return this.#lines[this.#head]?.bytes ?? 0;
  }

  /** False when the queue is full: the line was not taken. */
  push(text: string): boolean {
    const bytes = Buffer.byteLength(text);
    if (this.#bytes + bytes > this.#maxBytes) return false;
    this.#lines.push({ text, bytes });
    this.#bytes += bytes;
    return true;
  }

  /** The oldest lines that fit into `maxBytes`, at least one; null when nothing waits. They stay queued. */
  peek(maxBytes: number): Batch | null {
    const texts: string[] = [];
    const ends: number[] = [];
    let size = 0;
    for (let index = this.#head; index < this.#lines.length; index += 1) {
      const line = this.#lines[index];
      if (line === undefined || (size > 0 && size + line.bytes > maxBytes)) break;
      size += line.bytes;
      texts.push(line.text);
      ends.push(size);
    }
    return texts.length === 0 ? null : { bytes: Buffer.from(texts.join('')), ends };
  }

  /** Forgets the `count` oldest lines. */
  release(count: number): void {
    const end = Math.min(this.#head + count, this.#lines.length);
    for (; this.#head < end; this.#head += 1) this.#bytes -= this.#lines[this.#head]?.bytes ?? 0;
    // Cutting the array at every release would be quadratic in a backlog.
    if (this.#head > 1_024 && this.#head * 2 > this.#lines.length) {
      this.#lines = this.#lines.slice(this.#head);
      this.#head = 0;
    }
  }

  /** Forgets everything; says how many lines that were. */
  clear(): number {
    const count = this.length;
    this.#lines = [];
    this.#head = 0;
    this.#bytes = 0;
    return count;
  }
}

/** How many lines of a batch are whole in its first `written` bytes. */
export function wholeLines(batch: Batch, written: number): number {
  let count = 0;
  while (count < batch.ends.length && (batch.ends[count] ?? 0) <= written) count += 1;
  return count;
}
