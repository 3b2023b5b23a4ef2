import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PIECE_UNITS, pieces, splitsAt } from '../../../src/tokens/pieces.ts';
import { loadVocabulary } from '../../../src/tokens/vocabulary.ts';
import { REFERENCE_NAMES } from '../../helpers/reference-tokens.ts';
import { anyText } from '../../helpers/text-arbitrary.ts';

const limits = fc.integer({ min: 2, max: 50 });

describe('cutting', () => {
  it('loses nothing and keeps every piece within the limit', () => {
    fc.assert(
      fc.property(anyText, limits, (text, limit) => {
        const cut = [...pieces(text, limit)];
        expect(cut.join('')).toBe(text);
        for (const piece of cut) expect(piece.length).toBeGreaterThan(0);
        for (const piece of cut) expect(piece.length).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it('never cuts a surrogate pair', () => {
    for (const limit of [2, 3, 4, 5]) {
      for (const piece of pieces('x😀😀😀😀😀', limit)) expect(piece).not.toMatch(/\p{Surrogate}/u);
    }
  });

  it('cuts an unbroken run at the limit, and not again until the limit', () => {
    expect([...pieces('^'.repeat(1_000_000))].length).toBe(Math.ceil(1_000_000 / PIECE_UNITS));
  });

  it('makes at most two pieces of every limit of text, so that the work grows with the length', () => {
    fc.assert(
      fc.property(anyText, limits, (text, limit) => {
        expect([...pieces(text, limit)].length).toBeLessThanOrEqual((2 * text.length) / (limit - 1) + 1);
      }),
    );
  });

  it('keeps words together where the limit allows', () => {
    expect([...pieces('one two, three', 9)]).toEqual(['one two,', ' three']);
  });
});

describe.each(REFERENCE_NAMES)('%s', async (name) => {
  const vocabulary = await loadVocabulary(name);

  it('splits by itself wherever a cut is called free', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const whole = vocabulary.count(text);
        for (let index = 1; index < text.length; index += 1) {
          if (!splitsAt(text, index)) continue;
          expect(vocabulary.count(text.slice(0, index)) + vocabulary.count(text.slice(index))).toBe(whole);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('counts prose, code and Chinese the same in pieces as in one', () => {
    for (const text of [PROSE, CODE, CHINESE]) {
      const long = text.repeat(50);
      for (const limit of [60, 500, PIECE_UNITS]) {
        const sum = [...pieces(long, limit)].reduce((tokens, piece) => tokens + vocabulary.count(piece), 0);
        expect(sum).toBe(vocabulary.count(long));
      }
    }
  });

  it('is off by a few tokens at most for each cut of an unbroken run', () => {
    for (const unit of ['a', '的', '^', ' ', '\n', 'xQ', '😀', '\ud800']) {
      const run = unit.repeat(4_000);
      const cut = [...pieces(run, 500)];
      const sum = cut.reduce((tokens, piece) => tokens + vocabulary.count(piece), 0);
      expect(Math.abs(sum - vocabulary.count(run))).toBeLessThanOrEqual(3 * cut.length);
    }
  });
});

const PROSE = `It isn't done until it's measured: "At 10:45, they'd sent 1,234,567 tokens (42 %)."\n\n- One.\n  - Two…\n`;
const CODE = `export function add(a: number, b: number): number {\r\n\tif (a === 0) return b; // nothing\r\n\n    return a + b;\n}\n`;
const CHINESE = '流式回答由许多小块组成，每一块可以包含几个词元。我们需要准确地计算它们；否则，速度就不对了！\n';
