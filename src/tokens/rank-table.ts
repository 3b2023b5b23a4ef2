/** What byte sequences that are no token have for a rank. */
export const NO_RANK = -1;

/** FNV-1a, 32 bits. */
const HASH_START = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;

/**
 * The ranks of an encoding, packed: the bytes of all tokens one behind another in the order of their
 * ranks, and a hash table of ranks with open addressing. A `Map` of two hundred thousand strings
 * takes several times the memory, and makes a slice of every word it is asked for.
 */
export class RankTable {
  readonly #bytes: Uint8Array;
  /** Where the token of each rank begins, and as the last the end of them all. A rank that is not given is empty. */
  readonly #starts: Uint32Array;
  /** A rank and one, or 0 for a free slot. A power of two of them, at most half of them taken. */
  readonly #slots: Uint32Array;

  /** `lines`: what js-tiktoken ships, `! first-rank token token …`; tokens are base64 bytes, ranks count up along the line and over the lines. */
  constructor(lines: string) {
    const bytes = Buffer.alloc(Math.ceil((lines.length * 3) / 4));
    const starts: number[] = [];
    let end = 0;
    eachToken(lines, (rank, token) => {
      while (starts.length <= rank) starts.push(end);
      end += bytes.write(token, end, 'base64');
    });
    starts.push(end);
    this.#bytes = new Uint8Array(bytes.subarray(0, end));
    this.#starts = Uint32Array.from(starts);
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * starts.length)));
    for (let rank = 0; rank + 1 < starts.length; rank += 1) this.#place(rank);
  }

  /** The rank of the part of a word of bytes (one character a byte) from `from` to `to`, or `NO_RANK`. */
  rankOf(word: string, from: number, to: number): number {
    let hash = HASH_START;
    for (let at = from; at < to; at += 1) hash = hashed(hash, word.charCodeAt(at));
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const rank = (this.#slots[slot] ?? 0) - 1;
      if (rank < 0) return NO_RANK;
      if (this.#lengthOf(rank) === to - from && this.#standsAt(from, word, rank)) return rank;
    }
  }

  #lengthOf(rank: number): number {
    return (this.#starts[rank + 1] ?? 0) - (this.#starts[rank] ?? 0);
  }

  #standsAt(from: number, word: string, rank: number): boolean {
    const start = this.#starts[rank] ?? 0;
    const end = this.#starts[rank + 1] ?? 0;
    for (let at = start; at < end; at += 1) if (this.#bytes[at] !== word.charCodeAt(from + at - start)) return false;
    return true;
  }

  #place(rank: number): void {
    const start = this.#starts[rank] ?? 0;
    const end = this.#starts[rank + 1] ?? 0;
    if (start === end) return;
    let hash = HASH_START;
    for (let at = start; at < end; at += 1) hash = hashed(hash, this.#bytes[at] ?? 0);
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = rank + 1;
  }
}

function hashed(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, HASH_FACTOR);
}

/** Visits the tokens without cutting the text into all of them at once. */
function eachToken(lines: string, visit: (rank: number, token: string) => void): void {
  for (const line of lines.split('\n')) {
    const [mark = '', first = ''] = line.split(' ', 2);
    let rank = Number(first);
    let at = mark.length + first.length + 2;
    while (at < line.length) {
      const space = line.indexOf(' ', at);
      const end = space === -1 ? line.length : space;
      visit(rank, line.slice(at, end));
      rank += 1;
      at = end + 1;
    }
  }
}
