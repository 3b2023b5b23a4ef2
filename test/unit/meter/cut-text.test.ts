import { describe, expect, it } from 'vitest';
import { cutText } from '../../../src/meter/cut-text.ts';
import { keptOfLongTexts } from '../../helpers/heap.ts';

describe('text that is cut', () => {
  it('is as it was up to the limit', () => {
    expect(cutText('', 4)).toBe('');
    expect(cutText('abcd', 4)).toBe('abcd');
    expect(cutText('abcde', 4)).toBe('abcd');
  });

  it('ends before a character of which only half would fit', () => {
    expect(cutText('abc🌍', 4)).toBe('abc');
    expect(cutText('ab🌍x', 4)).toBe('ab🌍');
  });

  it('does not keep what it was cut from in memory', () => {
    expect(keptOfLongTexts(30, (text) => cutText(text, 256))).toBeLessThan(3_000_000);
  });
});
