import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrowingText, type TextSigns } from '../../../src/wire/dialects/growing-text.ts';

/** What a reader makes of these texts, one after the other, whose events say nothing beside them. */
function read(texts: readonly string[], isWhole: boolean | null = null): string[] {
  const growing = new GrowingText();
  return texts.map((text) => growing.next(text, { isWhole, tokens: null, newTokens: null }));
}

/** The same where each event counts the tokens so far. */
function readCounted(texts: readonly [text: string, tokens: number][]): string[] {
  const growing = new GrowingText();
  let before = 0;
  return texts.map(([text, tokens]) => {
    const signs: TextSigns = { isWhole: null, tokens, newTokens: tokens - before };
    before = tokens;
    return growing.next(text, signs);
  });
}

/** Without the replacement character, which stands for bytes that are still to come (see below). */
const part = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((text) => !text.includes('\ufffd'));
const parts = fc.array(part, { minLength: 1 });
/** A part and its tokens. */
const counted = fc.array(fc.tuple(part, fc.integer({ min: 1, max: 12 })), { minLength: 1 });
const upTo = (texts: readonly string[]): string[] => texts.map((_, at) => texts.slice(0, at + 1).join(''));
const sums = (numbers: readonly number[]): number[] =>
  numbers.map((_, at) => numbers.slice(0, at + 1).reduce((sum, number) => sum + number, 0));
const zip = (texts: readonly string[], tokens: readonly number[]): [string, number][] =>
  texts.map((text, at) => [text, tokens[at] ?? 0]);

describe('a text that is sent whole each time', () => {
  it('gives what is new in it', () => {
    expect(read(['He', 'Hello', 'Hello', 'Hello!'])).toEqual(['He', 'llo', '', '!']);
  });

  it('gives each part once, whatever the parts', () => {
    fc.assert(
      fc.property(parts, (texts) => {
        expect(read(upTo(texts)).join('')).toBe(texts.join(''));
        expect(read(upTo(texts), true).join('')).toBe(texts.join(''));
      }),
    );
  });

  it('gives each part once, however many tokens it has', () => {
    fc.assert(
      fc.property(counted, (pieces) => {
        const texts = pieces.map(([text]) => text);
        const whole = zip(upTo(texts), sums(pieces.map(([, tokens]) => tokens)));
        expect(readCounted(whole).join('')).toBe(texts.join(''));
      }),
    );
  });

  it('gives each part once, also where it repeats itself', () => {
    const piece = fc.constantFrom('a', 'aa', 'ab', 'la la ', 'la la la la la la la la ');
    fc.assert(
      fc.property(fc.array(fc.tuple(piece, fc.integer({ min: 1, max: 12 })), { minLength: 1 }), (pieces) => {
        const texts = pieces.map(([text]) => text);
        const whole = zip(upTo(texts), sums(pieces.map(([, tokens]) => tokens)));
        expect(readCounted(whole).join('')).toBe(texts.join(''));
      }),
    );
  });

  it('may stand still for some tokens (special ones, or half a character)', () => {
    const texts: [string, number][] = [
      ['Hi', 1],
      ['Hi', 2],
      ['Hi', 5],
      ['Hi 🌍', 6],
      ['Hi 🌍!', 7],
    ];
    expect(readCounted(texts)).toEqual(['Hi', '', '', ' 🌍', '!']);
  });

  it('may be made of characters that take several tokens each', () => {
    const emoji = ['👍', '👍', '👍👍', '👍👍', '👍👍', '👍👍👍', '👍👍👍', '👍👍👍🎉'];
    expect(readCounted(zip(emoji, [3, 5, 6, 7, 9, 10, 12, 13])).join('')).toBe('👍👍👍🎉');
  });

  it('of one token is repeated with its end token', () => {
    expect(
      readCounted([
        ['Yes', 1],
        ['Yes', 2],
      ]),
    ).toEqual(['Yes', '']);
  });

  it('is known by an end that repeats it without a token', () => {
    expect(
      readCounted([
        ['ha', 1],
        ['ha', 1],
        ['haha', 2],
      ]),
    ).toEqual(['ha', '', 'ha']);
  });

  it('is found again where it stood still for long', () => {
    const still = Array.from({ length: 12 }, (_, at): [string, number] => ['x', at + 1]);
    const grown = ['xa', 'xab', 'xabc', 'xabcd', 'xabcde'].map((text, at): [string, number] => [text, at + 13]);
    expect(readCounted([...still, ...grown]).slice(-2)).toEqual(['d', 'e']);
  });

  it('may still change a character whose bytes have not all come', () => {
    expect(read(['a\ufffd', 'aé', 'aéb'])).toEqual(['a', 'é', 'b']);
  });

  it('may lose its end (a stop text)', () => {
    const text = 'A text of some length';
    expect(read([text, `${text} ST`, `${text} STOP`, text])).toEqual([text, ' ST', 'OP', '']);
  });
});

describe('a text that is sent in parts', () => {
  it('is told by the first part that does not go on', () => {
    expect(read(['Hel', 'lo', ' you', ' you'])).toEqual(['Hel', 'lo', ' you', ' you']);
  });

  it('is told by the event, if that gives it away', () => {
    fc.assert(
      fc.property(parts, (texts) => {
        expect(read(texts, false)).toEqual(texts);
      }),
    );
  });

  it('that repeats itself is all there when the first other part has come', () => {
    const texts: [string, number][] = [
      ['ha', 1],
      ['ha', 2],
      ['ha', 3],
      ['!', 4],
    ];
    expect(readCounted(texts).join('')).toBe('hahaha!');
  });

  it('that only repeats itself is all there, and stays so', () => {
    const texts = Array.from({ length: 40 }, (_, at): [string, number] => ['ha', at + 1]);
    expect(readCounted(texts).join('')).toBe('ha'.repeat(40));
  });

  it('that only repeats itself a few times is all there, when its end has no text', () => {
    const texts: [string, number][] = [
      ['ha', 1],
      ['ha', 2],
      ['ha', 3],
      ['', 4],
    ];
    expect(readCounted(texts).join('')).toBe('hahaha');
  });

  it('of many tokens that comes again is no standing still', () => {
    const verse = 'The cat sat on the mat. ';
    const texts: [string, number][] = [
      [verse, 9],
      [verse, 18],
      [verse, 27],
      ['The end', 29],
    ];
    expect(readCounted(texts).join('')).toBe(`${verse.repeat(3)}The end`);
  });

  it('that begins like the one before is told by its tokens', () => {
    const texts: [string, number][] = [
      ['la la la la la la ', 6],
      ['la la la la la la la ', 13],
      ['so', 14],
    ];
    expect(readCounted(texts).join('')).toBe('la la la la la la la la la la la la la so');
  });

  it('is held back only so far', () => {
    const text = 'a'.repeat(3_000);
    const growing = new GrowingText();
    const signs = { isWhole: null, tokens: null, newTokens: 1 };
    const told = Array.from({ length: 5 }, () => growing.next(text, signs));
    expect(told.join('').length).toBeLessThanOrEqual(text.length + 4_096);
  });
});
