/** The memory that all held request bodies share (`limits.body_buffer_total`). */
export class HeldBytes {
  #bytes = 0;

  /** True when it still fits; then it must be given back. */
  take(bytes: number, limitBytes: number): boolean {
    if (this.#bytes + bytes > limitBytes) return false;
    this.#bytes += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#bytes -= bytes;
  }
}
