import { describe, expect, it } from 'vitest';
import { countText } from '../../../src/tokens/count-text.ts';
import { encodingOf } from '../../../src/tokens/encoding.ts';
import type { CountRequest, InputText } from '../../../src/tokens/protocol.ts';
import { loadVocabulary } from '../../../src/tokens/vocabulary.ts';

const vocabulary = await loadVocabulary('o200k_base');

/** A budget that is over when it was looked at so often, which is once in a thousand characters or so. */
function budgetOf(looks: number) {
  let looked = 0;
  return {
    get isOver() {
      looked += 1;
      return looked > looks;
    },
  };
}

function count(request: Partial<CountRequest>, looks = 1_000) {
  const whole: CountRequest = { model: 'gpt-4o', output: [], input: null, ...request };
  return countText(whole, { encoding: encodingOf(whole.model), vocabulary, budget: budgetOf(looks) });
}

const content = (text: string, choice = 0) => ({ choice, channel: 'content', text });
const chat = (more: Partial<InputText> = {}): InputText => ({
  messages: [{ role: 'user', name: null, texts: ['Say this is a test'] }],
  prompts: [],
  tools: [],
  extras: [],
  tokens: 0,
  isPartial: false,
  ...more,
});

describe('output', () => {
  it('is counted per choice and channel, over the text joined', () => {
    const output = [content('hel'), content('lo', 1), content('lo'), { choice: 0, channel: 'tool', text: '{}' }];
    expect(count({ output })).toMatchObject({
      outputTokens: 3,
      outputs: [
        { choice: 0, channel: 'content', tokens: 1 },
        { choice: 1, channel: 'content', tokens: 1 },
        { choice: 0, channel: 'tool', tokens: 1 },
      ],
    });
  });

  it('that was not given is unknown, not zero', () => {
    expect(count({ input: chat() })).toMatchObject({ outputTokens: null, inputTokens: 12 });
  });

  it('that is audio is not counted', () => {
    const audio = { choice: 0, channel: 'audio', text: 'UklGRg==' };
    expect(count({ output: [content('a'), audio] })).toMatchObject({ outputTokens: 1, outputExactness: 'rough' });
    expect(count({ output: [audio] })?.outputTokens).toBeNull();
  });

  it('is close where the encoding is the own one and there was only content', () => {
    expect(count({ output: [content('a')] })?.outputExactness).toBe('close');
  });

  it.each([
    ['another encoding stands in', { model: 'llama-3', output: [content('a')] }],
    ['the model reasons unseen', { model: 'gpt-5', output: [content('a')] }],
    ['a tool was called', { output: [{ choice: 0, channel: 'tool', text: '{}' }] }],
  ])('is rough where %s', (_why, request) => {
    expect(count(request)?.outputExactness).toBe('rough');
  });
});

describe('input', () => {
  it('of a chat has the published overhead: three a message, three to prime, one for a name', () => {
    expect(count({ input: chat() })).toMatchObject({ inputTokens: 5 + 1 + 3 + 3, inputExactness: 'close' });
    const named = chat({ messages: [{ role: 'user', name: 'ada', texts: ['hi'] }] });
    expect(count({ input: named })?.inputTokens).toBe(1 + 1 + vocabulary.count('ada') + 1 + 3 + 3);
  });

  it('of a harmony model is primed by two', () => {
    expect(count({ model: 'gpt-5', input: chat() })?.inputTokens).toBe(5 + 1 + 3 + 2);
  });

  it('without messages has no overhead', () => {
    expect(count({ input: chat({ messages: [], prompts: ['hi', 'hi'], tokens: 3 }) })?.inputTokens).toBe(5);
  });

  it.each([
    ['tools', chat({ tools: [{ texts: [], marks: 0 }] })],
    ['tool calls', chat({ extras: ['{}'] })],
    ['images', chat({ isPartial: true })],
  ])('with %s is rough', (_what, input) => {
    expect(count({ input })?.inputExactness).toBe('rough');
  });

  it('is read from the body of the request', () => {
    const json = new TextEncoder().encode('{"messages":[{"role":"user","content":"Say this is a test"}]}');
    expect(count({ input: { json } })?.inputTokens).toBe(12);
    expect(count({ output: [content('a')], input: { json: new Uint8Array(3) } })).toMatchObject({
      outputTokens: 1,
      inputTokens: null,
    });
  });
});

describe('the budget', () => {
  const long = 'word '.repeat(10_000);

  it('ends a long output, and the rest is extrapolated: no close count any more', () => {
    const result = count({ output: [content(long)] }, 5);
    expect(result).toMatchObject({ isExtrapolated: true, outputExactness: 'rough' });
    expect(Math.abs((result?.outputTokens ?? 0) - 10_001)).toBeLessThan(50);
    expect(result?.outputs).toEqual([{ choice: 0, channel: 'content', tokens: result?.outputTokens }]);
  });

  it('ends a long input likewise, and the output is still exact', () => {
    const result = count({ output: [content('a')], input: chat({ prompts: [long] }) }, 5);
    expect(result).toMatchObject({ outputTokens: 1, isExtrapolated: false, outputExactness: 'close' });
    expect(Math.abs((result?.inputTokens ?? 0) - 10_013)).toBeLessThan(50);
    expect(result?.inputExactness).toBe('rough');
  });

  it('that is used up by the output leaves the input unknown', () => {
    const result = count({ output: [content(long)], input: chat({ prompts: [long] }) }, 5);
    expect(result).toMatchObject({ isExtrapolated: true, inputTokens: null });
  });

  it('of nothing lets nothing through', () => {
    expect(count({ output: [content('a')] }, 0)).toBeNull();
  });
});
