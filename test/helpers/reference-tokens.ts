import { Tiktoken } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import o200k from 'js-tiktoken/ranks/o200k_base';
import p50k from 'js-tiktoken/ranks/p50k_base';
import r50k from 'js-tiktoken/ranks/r50k_base';

/** The encodings whose patterns or ranks differ; gpt2 and p50k_edit are r50k and p50k with other special tokens. */
const RANKS = { o200k_base: o200k, cl100k_base: cl100k, p50k_base: p50k, r50k_base: r50k };
export type ReferenceName = keyof typeof RANKS;
export const REFERENCE_NAMES: readonly ReferenceName[] = ['o200k_base', 'cl100k_base', 'p50k_base', 'r50k_base'];

/** js-tiktoken's own count, special tokens as text. Quadratic: only for short words. */
export function referenceCounter(name: ReferenceName): (text: string) => number {
  const encoder = new Tiktoken(RANKS[name]);
  return (text) => encoder.encode(text, [], []).length;
}
