import { BytePairs } from './byte-pairs.ts';
import type { EncodingName } from './encoding.ts';
import { RankTable } from './rank-table.ts';

/** What js-tiktoken ships of an encoding. */
export interface EncodingData {
  /** How text is split into words, in the syntax of a Unicode regular expression. */
  pat_str: string;
  /** Lines of `! first-rank token token …`; tokens are base64 bytes, ranks count up along the line. */
  bpe_ranks: string;
}

/**
 * Counts the tokens of text in one encoding. There are no special tokens: `<|endoftext|>` in a prompt
 * or an answer is text, and never throws (FAULTS B99). A lone surrogate counts as U+FFFD.
 */
export class Vocabulary {
  readonly #words: RegExp;
  readonly #pairs: BytePairs;

  constructor(data: EncodingData) {
    this.#words = new RegExp(data.pat_str, 'gu');
    this.#pairs = new BytePairs(new RankTable(data.bpe_ranks));
  }

  /** Tokens of one piece of text; time grows with n log n of its length. */
  count(piece: string): number {
    let tokens = 0;
    for (const word of piece.match(this.#words) ?? []) tokens += this.#pairs.count(bytesOf(word));
    return tokens;
  }
}

/** Each is a megabyte or two of source and is read when first asked for. */
const SOURCES: Record<EncodingName, () => Promise<{ default: EncodingData }>> = {
  o200k_base: () => import('js-tiktoken/ranks/o200k_base'),
  cl100k_base: () => import('js-tiktoken/ranks/cl100k_base'),
  p50k_base: () => import('js-tiktoken/ranks/p50k_base'),
  p50k_edit: () => import('js-tiktoken/ranks/p50k_edit'),
  r50k_base: () => import('js-tiktoken/ranks/r50k_base'),
  gpt2: () => import('js-tiktoken/ranks/gpt2'),
};

export async function loadVocabulary(name: EncodingName): Promise<Vocabulary> {
  const { default: data } = await SOURCES[name]();
  return new Vocabulary(data);
}

const BEYOND_ASCII = /\P{ASCII}/u;

/** UTF-8, one character a byte; ASCII is that already. */
function bytesOf(word: string): string {
  return BEYOND_ASCII.test(word) ? Buffer.from(word, 'utf8').toString('latin1') : word;
}
