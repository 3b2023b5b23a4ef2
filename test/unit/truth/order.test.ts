import { expect, test } from 'vitest';
import { WORDS } from '../../../scripts/truth/answer-bytes.ts';
import { PLAIN } from '../../../scripts/truth/cases.ts';
import { chunksOf, dueMs, tokensOfChunk } from '../../../scripts/truth/order.ts';
import { loadVocabulary } from '../../../src/tokens/vocabulary.ts';

test('chunks are due by an absolute schedule, with one pause on top', () => {
  const order = { ...PLAIN, chunksPerSecond: 50, prefillMs: 300, freeze: { afterChunks: 2, ms: 230 } };
  expect([0, 1, 2, 3].map((index) => dueMs(order, index))).toEqual([300, 320, 570, 590]);
});

test('the last chunk holds what is left', () => {
  const order = { ...PLAIN, tokens: 10, tokensPerChunk: 4 };
  expect(chunksOf(order)).toBe(3);
  expect([0, 1, 2].map((index) => tokensOfChunk(order, index))).toEqual([4, 4, 2]);
});

test('a cut answer has so many chunks, and no more than a whole one', () => {
  expect(chunksOf({ ...PLAIN, tokens: 200, cutAfterChunks: 70 })).toBe(70);
  expect(chunksOf({ ...PLAIN, tokens: 20, cutAfterChunks: 70 })).toBe(20);
});

test('every word is one token, however words follow each other', async () => {
  const vocabulary = await loadVocabulary('o200k_base');
  for (const word of WORDS) expect(vocabulary.count(word)).toBe(1);
  expect(vocabulary.count(WORDS.join(''))).toBe(WORDS.length);
  expect(vocabulary.count([...WORDS].reverse().join(''))).toBe(WORDS.length);
});
