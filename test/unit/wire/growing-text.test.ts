import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrowingText } from '../../../src/wire/dialects/growing-text.ts';

/** What a reader makes of these texts, one after the other. */
function read(texts: readonly string[], isWhole: boolean | null = null): string[] {
  const growing = new GrowingText();
  return texts.map((text) => growing.next(text, isWhole));
}

/** Without the replacement character, which stands for bytes that are still to come (see below). */
const part = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((text) => !text.includes('\ufffd'));
const parts = fc.array(part, { minLength: 1 });
const upTo = (texts: readonly string[]): string[] => texts.map((_, at) => texts.slice(0, at + 1).join(''));

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
});
