import { describe, expect, it } from 'vitest';
import { encodingOf } from '../../../src/tokens/encoding.ts';

describe('the encoding of a model', () => {
  it.each([
    ['gpt-4o', 'o200k_base'],
    ['gpt-4o-mini-2024-07-18', 'o200k_base'],
    ['gpt-4.1-nano', 'o200k_base'],
    ['gpt-5.2', 'o200k_base'],
    ['gpt-5-nano-2025-08-07', 'o200k_base'],
    ['o4-mini', 'o200k_base'],
    ['o9-from-the-future', 'o200k_base'],
    ['gpt-oss:20b', 'o200k_base'],
    ['gpt-4', 'cl100k_base'],
    ['gpt-4-turbo-2031-01-01', 'cl100k_base'],
    ['gpt-3.5-turbo-0125', 'cl100k_base'],
    ['gpt-35-turbo-16k', 'cl100k_base'],
    ['gpt-3.5-turbo-instruct:20230824-v2', 'cl100k_base'],
    ['davinci:2023-07-21-v2', 'cl100k_base'],
    ['babbage-002', 'cl100k_base'],
    ['davinci', 'r50k_base'],
    ['text-davinci-003', 'p50k_base'],
    ['gpt2', 'gpt2'],
    ['openai/gpt-4o-mini', 'o200k_base'],
    ['ft:gpt-3.5-turbo:acme::9Xy', 'cl100k_base'],
    ['GPT-4o', 'o200k_base'],
  ])('%s is its own %s', (model, name) => {
    expect(encodingOf(model)).toMatchObject({ name, isOwn: true });
  });

  it.each([['llama-3.1-8b'], ['claude-sonnet-4'], ['constructor'], [''], [null]])(
    '%s has none, and o200k stands in',
    (model) => {
      expect(encodingOf(model)).toEqual({ name: 'o200k_base', isOwn: false, isHarmony: false });
    },
  );

  it('tells the models that write in the harmony format', () => {
    const harmony = ['gpt-5', 'gpt-5.2', 'o1', 'o4-mini', 'openai/gpt-oss-120b'];
    const plain = ['gpt-5-chat-latest', 'gpt-5.2-chat-latest', 'gpt-4o', 'gpt-4.1', 'olmo-2'];
    expect(harmony.filter((model) => encodingOf(model).isHarmony)).toEqual(harmony);
    expect(plain.filter((model) => encodingOf(model).isHarmony)).toEqual([]);
  });
});
