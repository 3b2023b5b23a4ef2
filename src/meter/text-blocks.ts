/** UTF-16 units of one block: most answers need two to four. */
export const BLOCK_UNITS = 512;
const BLOCK_BYTES = 2 * BLOCK_UNITS;
/** Blocks that wait to be used again: 2 MiB. What was needed beyond them is left to the garbage collector. */
const MAX_SPARE = 2_048;

/**
 * Memory that the output texts of all requests share, in blocks that are used again: to make one costs
 * more than to fill it. What was taken must be given back.
 */
export class TextBlocks {
  readonly #maxTaken: number;
  readonly #spare: Uint16Array[] = [];
  #taken = 0;

  constructor(limitBytes: number) {
    this.#maxTaken = Math.floor(limitBytes / BLOCK_BYTES);
  }

  /** Taken and not yet given back, in bytes. */
  get bytes(): number {
    return this.#taken * BLOCK_BYTES;
  }

  /** `BLOCK_UNITS` long, holding whatever it held; null when there is no more. */
  take(): Uint16Array | null {
    if (this.#taken >= this.#maxTaken) return null;
    this.#taken += 1;
    return this.#spare.pop() ?? new Uint16Array(BLOCK_UNITS);
  }

  giveBack(blocks: readonly Uint16Array[]): void {
    this.#taken -= blocks.length;
    this.#spare.push(...blocks.slice(0, MAX_SPARE - this.#spare.length));
  }
}
