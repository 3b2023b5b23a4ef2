/** Memory that all requests share, in bytes; what was taken must be given back. */
export class MemoryBound {
  /** May change: what was taken under another bound stays taken. */
  limitBytes: number;
  #bytes = 0;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  /** Taken and not yet given back. */
  get bytes(): number {
    return this.#bytes;
  }

  /** False when it does not fit: then nothing was taken. */
  take(bytes: number): boolean {
    if (this.#bytes + bytes > this.limitBytes) return false;
    this.#bytes += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#bytes -= bytes;
  }
}
