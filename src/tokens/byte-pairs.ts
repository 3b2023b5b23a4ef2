import { MinHeap } from './min-heap.ts';
import { NO_RANK, type RankTable } from './rank-table.ts';

/** Heap keys hold a rank (below 2^18) and a position; 2^24 bytes are far above any piece. */
const POSITIONS = 2 ** 24;

/**
 * Byte-pair merging, counting only: of all neighbours the pair of lowest rank is joined, the leftmost
 * of equals first, until none has a rank. The definition is tiktoken's; js-tiktoken looks at every
 * pair again for every join, which is quadratic: half a second for 3,000 times one letter. Here a heap holds
 * the pairs, so the work is n log n, and the counts are the same (test/unit/tokens, a property).
 */
export class BytePairs {
  /** The lower the rank, the sooner a pair is joined. */
  readonly #ranks: RankTable;
  /** Ranks of two single bytes, of which a word is full at the start: an index is cheaper than a search. */
  readonly #twoBytes = new Int32Array(2 ** 16);
  readonly #heap = new MinHeap();
  #next = new Int32Array(256);
  #previous = new Int32Array(256);
  /** Rank of the pair that starts at a position, so that a key whose pair is gone can be told. */
  #pair = new Int32Array(256);

  constructor(ranks: RankTable) {
    this.#ranks = ranks;
    for (let pair = 0; pair < this.#twoBytes.length; pair += 1)
      this.#twoBytes[pair] = ranks.rankOf(String.fromCharCode(pair >> 8, pair & 255), 0, 2);
  }

  /** How many tokens a word of bytes (one character a byte, at least one) becomes. */
  count(word: string): number {
    if (this.#ranks.rankOf(word, 0, word.length) !== NO_RANK) return 1;
    this.#begin(word);
    let parts = word.length;
    while (this.#heap.size > 0) {
      const key = this.#heap.pop();
      const rank = Math.floor(key / POSITIONS);
      const at = key - rank * POSITIONS;
      if (this.#pair[at] !== rank) continue;
      this.#join(word, at);
      parts -= 1;
    }
    return parts;
  }

  #begin(word: string): void {
    const length = word.length;
    // One key for each pair at the start, and two for each join.
    this.#heap.reset(3 * length);
    if (this.#next.length <= length) {
      this.#next = new Int32Array(2 * length);
      this.#previous = new Int32Array(2 * length);
      this.#pair = new Int32Array(2 * length);
    }
    for (let at = 0; at <= length; at += 1) {
      this.#next[at] = at + 1;
      this.#previous[at] = at - 1;
    }
    for (let at = 0; at < length; at += 1) this.#offer(word, at);
  }

  /** Joins the part at `at` with the one after it. */
  #join(word: string, at: number): void {
    const gone = this.#next[at] ?? 0;
    const after = this.#next[gone] ?? 0;
    this.#pair[gone] = NO_RANK;
    this.#next[at] = after;
    this.#previous[after] = at;
    this.#offer(word, at);
    const before = this.#previous[at] ?? -1;
    if (before >= 0) this.#offer(word, before);
  }

  /** Notes the pair that starts at `at`, if it has a rank. */
  #offer(word: string, at: number): void {
    const middle = this.#next[at] ?? word.length;
    const rank = middle < word.length ? this.#rank(word, at, this.#next[middle] ?? middle) : NO_RANK;
    this.#pair[at] = rank;
    if (rank !== NO_RANK) this.#heap.push(rank * POSITIONS + at);
  }

  #rank(word: string, from: number, to: number): number {
    if (to - from === 2) return this.#twoBytes[twoBytesAt(word, from)] ?? NO_RANK;
    return this.#ranks.rankOf(word, from, to);
  }
}

function twoBytesAt(word: string, at: number): number {
  return 256 * word.charCodeAt(at) + word.charCodeAt(at + 1);
}
