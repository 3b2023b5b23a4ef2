import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearest } from '../../../src/config/nearest.ts';

const KEYS = ['listen', 'admin', 'workers', 'upstreams', 'max_connections', 'url'];

describe('the nearest known word', () => {
  it.each([
    ['listn', 'listen'],
    ['lsiten', 'listen'],
    ['listens', 'listen'],
    ['Admin', 'admin'],
    ['upstream', 'upstreams'],
    ['maxConnections', 'max_connections'],
    ['max-connections', 'max_connections'],
    ['uri', 'url'],
    ['work', 'workers'],
  ])('of %s is %s', (word, key) => {
    expect(nearest(word, KEYS)).toBe(key);
  });

  it.each(['port', 'x', '', 'verbosity', 'zzzzzz'])('of %j is none: a wrong hint is worse than no hint', (word) => {
    expect(nearest(word, KEYS)).toBeNull();
  });

  it('is the word itself where it is known', () => {
    fc.assert(fc.property(fc.constantFrom(...KEYS), (key) => nearest(key, KEYS) === key));
  });

  it('does not take long over a long word', () => {
    expect(nearest('x'.repeat(1_000_000), KEYS)).toBeNull();
  });
});
