import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeptText } from '../../../src/meter/kept-text.ts';
import { BLOCK_UNITS, TextBlocks } from '../../../src/meter/text-blocks.ts';
import { anyText } from '../../helpers/text-arbitrary.ts';

const AMPLE_BYTES = 2 ** 30;

/** A lone surrogate becomes U+FFFD. */
const wellFormed = (text: string) => Buffer.from(text, 'utf8').toString('utf8');

function keptWithin(bytes = AMPLE_BYTES) {
  const memory = new TextBlocks(bytes);
  return { memory, kept: new KeptText(memory) };
}

describe('kept text', () => {
  it('is that of each choice and channel, whatever the order in which it came', () => {
    const part = fc.record({
      choice: fc.nat(2),
      channel: fc.constantFrom('content' as const, 'reasoning' as const, 'tool' as const),
      text: anyText,
    });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const { kept } = keptWithin();
        const expected = new Map<string, string>();
        for (const { choice, channel, text } of parts) {
          kept.add(choice, channel, text);
          expected.set(`${choice} ${channel}`, (expected.get(`${choice} ${channel}`) ?? '') + text);
        }
        const outputs = kept.outputs() ?? [];
        const found = outputs.map(({ choice, channel, text }) => [`${choice} ${channel}`, text]);
        expect(found).toEqual([...expected].map(([key, text]) => [key, wellFormed(text)]));
      }),
    );
  });

  it('a pair of surrogates at the edge of two blocks is one character', () => {
    const { kept } = keptWithin();
    const text = `${'x'.repeat(1_023)}🌍${'y'.repeat(5_000)}🌍`;
    kept.add(0, 'content', text);
    expect(kept.outputs()?.[0]?.text).toBe(text);
  });

  it('a pair of surrogates that came in two parts is one character', () => {
    const { kept } = keptWithin();
    for (const half of '🌍'.split('')) kept.add(0, 'content', half);
    expect(kept.outputs()).toEqual([{ choice: 0, channel: 'content', text: '🌍' }]);
  });

  it('a byte order mark is kept like any other character', () => {
    const { kept } = keptWithin();
    kept.add(0, 'content', '\ufeffa');
    expect(kept.outputs()?.[0]?.text).toBe('\ufeffa');
  });

  it('sound is no text', () => {
    const { kept, memory } = keptWithin();
    kept.add(0, 'audio', 'UklGRg=='.repeat(1_000));
    expect([kept.outputs(), memory.bytes]).toEqual([[], 0]);
  });
});

describe('memory', () => {
  it('is used again, and what it held before is not seen', () => {
    const { kept, memory } = keptWithin(2_048);
    kept.add(0, 'content', 'a secret of somebody else');
    kept.release();
    const next = new KeptText(memory);
    next.add(0, 'content', 'mine');
    expect(next.outputs()).toEqual([{ choice: 0, channel: 'content', text: 'mine' }]);
  });

  it('is two bytes a character and less than a block more, and given back', () => {
    const { kept, memory } = keptWithin();
    for (let event = 0; event < 10_000; event += 1) kept.add(0, 'content', 'four');
    expect(memory.bytes).toBeGreaterThanOrEqual(2 * 40_000);
    expect(memory.bytes).toBeLessThan(2 * 40_000 + 2_048);
    kept.release();
    expect([memory.bytes, kept.outputs()]).toEqual([0, null]);
  });

  it('beyond what all requests may keep, this one is given up whole, and its memory is free at once', () => {
    const { kept, memory } = keptWithin(8_192);
    const other = new KeptText(memory);
    other.add(0, 'content', 'x');
    for (let event = 0; event < 10_000; event += 1) kept.add(0, 'content', 'four');
    expect([kept.outputs(), memory.bytes]).toEqual([null, 2 * BLOCK_UNITS]);
    expect(other.outputs()?.[0]?.text).toBe('x');
  });

  it('of one request is bounded, too, however much is left', () => {
    const { kept, memory } = keptWithin();
    for (let event = 0; event < 1_100; event += 1) kept.add(event, 'content', 'x'.repeat(1_000));
    expect([kept.outputs(), memory.bytes]).toEqual([null, 0]);
  });

  it('nothing is taken twice for what was given up', () => {
    const { kept, memory } = keptWithin(2_048);
    kept.add(0, 'content', 'x'.repeat(1_024));
    kept.add(0, 'content', 'x');
    kept.release();
    expect(memory.bytes).toBe(0);
  });
});
