import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countTokens, type GenerationApi, understandGeneration } from '../../../src/demo/engine-request.ts';
import { seededRandom } from '../../../src/demo/random.ts';

const understand = (api: GenerationApi, body: unknown) =>
  understandGeneration(api, typeof body === 'string' ? body : JSON.stringify(body), seededRandom(1));

const messages = [{ role: 'user', content: 'Hello, how are you?' }];

describe('a generation request', () => {
  it('asks for max_tokens exactly with ignore_eos, and ends with the reason length', () => {
    expect(understand('chat', { messages, max_tokens: 5_000, ignore_eos: true })).toMatchObject({
      kind: 'generation',
      generation: { outputTokens: 5_000, finishReason: 'length', inputTokens: 5, stream: false },
    });
  });

  it('ends by itself where the limit allows it', () => {
    expect(understand('chat', { messages, max_completion_tokens: 5_000 })).toMatchObject({
      generation: { finishReason: 'stop' },
    });
    expect(understand('completions', { prompt: 'once upon' })).toMatchObject({ generation: { finishReason: 'stop' } });
  });

  it('reads the text of content parts', () => {
    const parts = [
      { type: 'text', text: '12345678' },
      { type: 'image_url', image_url: { url: 'data:' } },
    ];
    expect(understand('chat', { messages: [{ role: 'user', content: parts }] })).toMatchObject({
      generation: { inputTokens: 2 },
    });
  });

  it.each([
    [{}, false, false],
    [{ stream_options: { include_usage: true } }, true, false],
    [{ stream_options: { include_usage: true, continuous_usage_stats: true } }, true, true],
    [{ stream_options: { continuous_usage_stats: true } }, false, false],
    [{ stream_options: null }, false, false],
  ])('%j asks for usage: %s, in every chunk: %s', (options, includeUsage, continuousUsage) => {
    expect(understand('chat', { messages, stream: true, ...options })).toMatchObject({
      generation: { stream: true, includeUsage, continuousUsage },
    });
  });

  it.each([
    ['not JSON', 400],
    ['[1]', 400],
    ['null', 400],
    [{}, 400],
    [{ messages: [] }, 400],
    [{ messages, n: 2 }, 400],
    [{ messages, max_tokens: 0 }, 400],
    [{ messages, max_tokens: '5' }, 400],
    [{ messages, max_tokens: 40_000, ignore_eos: true }, 400],
    [{ messages, model: 'gpt-4o' }, 404],
  ])('is refused in words: %j', (body, status) => {
    expect(understand('chat', body)).toMatchObject({
      kind: 'refusal',
      refusal: { status, message: expect.stringMatching(/./) },
    });
  });

  it('never throws, whatever JSON it is', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom<GenerationApi>('chat', 'completions'), (body, api) => {
        expect(['generation', 'refusal']).toContain(understand(api, body).kind);
      }),
    );
  });

  it('counts one token for every four characters begun', () => {
    expect(['', 'a', 'abcd', 'abcde'].map(countTokens)).toEqual([1, 1, 1, 2]);
  });
});
