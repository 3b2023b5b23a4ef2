import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countTexts } from '../../../src/tokens/sample.ts';
import { loadVocabulary } from '../../../src/tokens/vocabulary.ts';
import { anyText } from '../../helpers/text-arbitrary.ts';

const vocabulary = await loadVocabulary('o200k_base');

/** Counts until so many pieces are counted. */
function counting(maxPieces = Number.POSITIVE_INFINITY, count = (piece: string) => vocabulary.count(piece)) {
  let pieces = 0;
  return {
    count(piece: string) {
      pieces += 1;
      return count(piece);
    },
    get isOver() {
      return pieces >= maxPieces;
    },
  };
}

const english = (words: number) =>
  'The flow of tokens is measured where it passes, at the gateway. '.repeat(words / 12);
const chinese = (characters: number) => '的一是不了人我在有他'.repeat(characters / 10);
const code = (lines: number) =>
  Array.from(
    { length: lines },
    (_, line) => `  if (row[${line}] !== undefined) { sum_${line % 7} += row[${line}] * 0x${line}; }\n`,
  ).join('');

describe('within the budget', () => {
  it('every text is counted by itself, and the order of the pieces changes nothing', () => {
    const texts = [english(6_000), '', chinese(20_000), 'one'];
    expect(countTexts(texts, counting())).toEqual({
      tokens: texts.map((text) => vocabulary.count(text)),
      isExtrapolated: false,
    });
  });

  it('each piece is counted once, whatever the texts', () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 40 }), (texts) => {
        // A token for a unit: then the sum says whether any was left out or counted twice.
        const counted = countTexts(
          texts,
          counting(Number.POSITIVE_INFINITY, (piece) => piece.length),
        );
        expect(counted).toEqual({ tokens: texts.map(({ length }) => length), isExtrapolated: false });
      }),
    );
  });

  it('nothing to count is no reason to look at the budget', () => {
    expect(countTexts([], counting(0))).toEqual({ tokens: [], isExtrapolated: false });
    expect(countTexts(['', ''], counting(0))).toEqual({ tokens: [0, 0], isExtrapolated: false });
  });
});

describe('when the budget is over', () => {
  it.each([
    ['prose', english(120_000)],
    ['code', code(12_000)],
    ['a language without spaces', chinese(400_000)],
    ['text that changes half-way', english(60_000) + chinese(200_000)],
    [
      'text of every kind in turn',
      Array.from({ length: 12 }, () => english(3_000) + code(300) + chinese(9_000)).join(''),
    ],
  ])('the rest is extrapolated from a tenth of it, within a tenth: %s', (_kind, text) => {
    const pieces = Math.ceil(text.length / 4_096 / 10);
    const truth = vocabulary.count(text);
    const counted = countTexts([text], counting(pieces));
    expect(counted?.isExtrapolated).toBe(true);
    expect(Math.abs((counted?.tokens[0] ?? 0) - truth) / truth).toBeLessThan(0.1);
  });

  it('a text of which nothing was counted goes by the others, one that was counted whole stays as it is', () => {
    const texts = ['x'.repeat(4_000), 'y'.repeat(4_000), 'z'.repeat(4_000)];
    const counted = countTexts(
      texts,
      counting(2, ({ length }) => length / 4),
    );
    expect(counted).toEqual({ tokens: [1_000, 1_000, 1_000], isExtrapolated: true });
  });

  it('nothing is said on the ground of less than a twentieth', () => {
    const text = english(120_000);
    expect(countTexts([text], counting(Math.floor(text.length / 4_096 / 20) - 1))).toBeNull();
    expect(countTexts(['one'], counting(0))).toBeNull();
  });

  it('nor on the ground of a piece or two, unless they are half of it', () => {
    const text = english(12_000);
    expect(text.length / 4_096).toBeGreaterThan(15);
    expect(countTexts([text], counting(3))).toBeNull();
    expect(countTexts([text], counting(5))).not.toBeNull();
    expect(countTexts([text.slice(0, 8_000)], counting(1))).not.toBeNull();
  });
});
