import type { LocalCount, LocalCounting, LocalCountResult, UncountedText } from '../../src/meter/local-counting.ts';
import { MemoryBound } from '../../src/meter/memory-bound.ts';
import { TextBlocks } from '../../src/meter/text-blocks.ts';

/** What a test gives of a local count; it is whole unless said otherwise. */
export type CountLocally = (
  text: UncountedText,
) => Promise<(Omit<LocalCount, 'isExtrapolated'> & Partial<LocalCount>) | null>;

const AMPLE_BYTES = 2 ** 30;

/** A local tokenizer as requests see it, which counts as the test says; what it was asked to prepare, and how counts went. */
export function localCounting(count: CountLocally, bytes: { prompts?: number; outputs?: number } = {}) {
  const prepared: (string | null)[] = [];
  const results: LocalCountResult[] = [];
  const counting: LocalCounting = {
    prepare: (model) => prepared.push(model),
    count: async (text) => {
      const counted = await count(text);
      return counted === null ? null : { isExtrapolated: false, ...counted };
    },
    onResult: (result) => results.push(result),
    prompts: new MemoryBound(bytes.prompts ?? AMPLE_BYTES),
    outputs: new TextBlocks(bytes.outputs ?? AMPLE_BYTES),
  };
  return Object.assign(counting, { prepared, results });
}
