import { describe, expect, it } from 'vitest';
import { ModelNames } from '../../../src/ledger/model-names.ts';
import { keptOfLongTexts } from '../../helpers/heap.ts';

const newNames = () => new ModelNames(100, () => {});

describe('names of models', () => {
  it('stand for nothing before an answer confirmed them, however many were asked for', () => {
    const names = newNames();
    for (let number = 0; number < 5_000; number += 1) expect(names.labelOf('u', `m${number}`)).toBe('unknown');
  });

  it('are confirmed for the upstream that answered, and for no other', () => {
    const names = newNames();
    names.confirm('u', 'mine', 'theirs');
    expect([names.labelOf('u', 'mine'), names.labelOf('v', 'mine')]).toEqual(['theirs', 'unknown']);
  });

  it('are labels of 128 characters at most', () => {
    expect(newNames().confirm('u', null, 'm'.repeat(500))).toBe('m'.repeat(128));
  });

  it('of a megabyte each are not kept in memory, be they asked for or answered', () => {
    const names = newNames();
    expect(keptOfLongTexts(30, (name) => names.confirm('u', name, null))).toBeLessThan(3_000_000);
    expect(keptOfLongTexts(30, (name) => names.confirm('u', 'same', name))).toBeLessThan(3_000_000);
  });
});
