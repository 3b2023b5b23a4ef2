import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadVocabulary } from '../../../src/tokens/vocabulary.ts';
import { REFERENCE_NAMES, referenceCounter } from '../../helpers/reference-tokens.ts';
import { anyText } from '../../helpers/text-arbitrary.ts';

describe.each(REFERENCE_NAMES)('%s', async (name) => {
  const vocabulary = await loadVocabulary(name);
  const reference = referenceCounter(name);

  it('counts any text as js-tiktoken does', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(vocabulary.count(text)).toBe(reference(text));
      }),
      { numRuns: 300 },
    );
  });

  it('counts long unbroken words as js-tiktoken does', () => {
    for (const word of ['a'.repeat(300), '的一是不了人我在有他'.repeat(12), ' '.repeat(250), 'lllIIIlI'.repeat(30)]) {
      expect(vocabulary.count(word)).toBe(reference(word));
    }
  });
});

describe('what is no ordinary text', async () => {
  const vocabulary = await loadVocabulary('o200k_base');

  it('a special token is plain text', () => {
    expect(vocabulary.count('<|endoftext|>')).toBe(7);
  });

  it('a lone surrogate counts as the replacement character', () => {
    expect(vocabulary.count('\ud800')).toBe(vocabulary.count('\ufffd'));
  });

  it('nothing is no tokens', () => {
    expect(vocabulary.count('')).toBe(0);
  });
});
