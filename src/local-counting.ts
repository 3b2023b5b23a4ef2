import type { LocalCounting } from './meter/local-counting.ts';
import { MemoryBound } from './meter/memory-bound.ts';
import { TextBlocks } from './meter/text-blocks.ts';
import type { TokenCounter } from './tokens/counter.ts';

/**
 * Memory of all requests together for what may have to be counted here: prompts, as they were sent, and
 * outputs, two bytes for a character. What finds no room is estimated. About a thousand streams at a
 * time with prompts of 60 kB and answers of 16,000 characters.
 */
const KEPT_PROMPT_BYTES = 64 * 1_024 * 1_024;
const KEPT_OUTPUT_BYTES = 32 * 1_024 * 1_024;

export interface LocalCountingParts {
  counter: TokenCounter;
  onResult: LocalCounting['onResult'];
  /** Processes that share the memory. */
  workers: number;
}

/** The local tokenizer, as requests use it. */
export function createLocalCounting({ counter, onResult, workers }: LocalCountingParts): LocalCounting {
  return {
    prepare: (model) => counter.prepare(model),
    count: (text) => counter.count(text),
    onResult,
    prompts: new MemoryBound(KEPT_PROMPT_BYTES / workers),
    outputs: new TextBlocks(KEPT_OUTPUT_BYTES / workers),
  };
}
