import type { AlikeEvent, Channel } from '../wire/facts.ts';
import { BLOCK_UNITS, type TextBlocks } from './text-blocks.ts';

/** Output kept of one request, in UTF-16 units: more than any model writes in one answer. */
const MAX_KEPT_UNITS = 1_000_000;
const MAX_KEPT_BLOCKS = Math.ceil(MAX_KEPT_UNITS / BLOCK_UNITS);

/** The output of one choice and channel, as a tokenizer wants it. */
export interface OutputText {
  choice: number;
  channel: Channel;
  text: string;
}

interface Piece {
  readonly choice: number;
  readonly channel: Channel;
  readonly blocks: Uint16Array[];
  /** The last of them, and how much of it is used. */
  block: Uint16Array;
  used: number;
}

const NO_BLOCK = new Uint16Array(0);

/**
 * Output text of a request, kept until it is known that the upstream has counted it or it is counted
 * here, and never longer. Per choice and channel: each is tokenized by itself. What is too much for
 * this request or for all of them is given up whole.
 *
 * It is on the path of every chunk, so the text is copied into memory that is there already: as
 * strings, the pieces of a long stream would be what the garbage collector has most to do with.
 */
export class KeptText {
  readonly #memory: TextBlocks;
  readonly #pieces = new Map<string, Piece>();
  /** Most often the next text belongs to the same choice and channel as the last. */
  #last: Piece | null = null;
  #blocks = 0;
  #isOver = false;

  constructor(memory: TextBlocks) {
    this.#memory = memory;
  }

  add(choice: number, channel: Channel, text: string): void {
    // Audio is no text, and is not counted.
    if (this.#isOver || channel === 'audio') return;
    const piece = this.#pieceOf(choice, channel);
    for (let index = 0; index < text.length; ) {
      if (piece.used === piece.block.length && !this.#extend(piece)) return;
      const { block, used } = piece;
      const count = Math.min(text.length - index, block.length - used);
      for (let unit = 0; unit < count; unit += 1) block[used + unit] = text.charCodeAt(index + unit);
      piece.used += count;
      index += count;
    }
  }

  /** The same, without making a string of it. */
  addAscii({ choice, channel, read, from, to }: AlikeEvent): void {
    if (this.#isOver) return;
    const piece = this.#pieceOf(choice, channel);
    for (let index = from; index < to; ) {
      if (piece.used === piece.block.length && !this.#extend(piece)) return;
      const { block, used } = piece;
      const count = Math.min(to - index, block.length - used);
      for (let unit = 0; unit < count; unit += 1) block[used + unit] = read[index + unit] ?? 0;
      piece.used += count;
      index += count;
    }
  }

  /** Null when it was too much to be kept. */
  outputs(): OutputText[] | null {
    if (this.#isOver) return null;
    return [...this.#pieces.values()].map((piece) => ({
      choice: piece.choice,
      channel: piece.channel,
      text: textOf(piece),
    }));
  }

  /** Nothing of it is needed any more, and nothing more is kept. */
  release(): void {
    this.#isOver = true;
    for (const { blocks } of this.#pieces.values()) this.#memory.giveBack(blocks);
    this.#pieces.clear();
    this.#last = null;
  }

  #pieceOf(choice: number, channel: Channel): Piece {
    const last = this.#last;
    if (last?.choice === choice && last.channel === channel) return last;
    const key = `${choice} ${channel}`;
    const piece = this.#pieces.get(key) ?? { choice, channel, blocks: [], block: NO_BLOCK, used: 0 };
    this.#pieces.set(key, piece);
    this.#last = piece;
    return piece;
  }

  /** False when it was given up instead. */
  #extend(piece: Piece): boolean {
    const block = this.#blocks < MAX_KEPT_BLOCKS ? this.#memory.take() : null;
    if (block === null) {
      this.release();
      return false;
    }
    this.#blocks += 1;
    piece.blocks.push(block);
    piece.block = block;
    piece.used = 0;
    return true;
  }
}

/** A lone surrogate becomes U+FFFD, as it does wherever text becomes bytes. */
function textOf({ blocks, block, used }: Piece): string {
  const decoder = new TextDecoder('utf-16le', { ignoreBOM: true });
  const whole = blocks.slice(0, -1).map((full) => decoder.decode(full, { stream: true }));
  return whole.join('') + decoder.decode(block.subarray(0, used));
}
