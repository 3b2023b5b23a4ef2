import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PromptEcho } from '../../../src/wire/prompt-echo.ts';
import { readRequestFacts } from '../../../src/wire/request-facts.ts';

const echoOf = (body: unknown): PromptEcho | null | undefined =>
  readRequestFacts(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)))?.echo;
const asked = (...texts: string[]): PromptEcho => ({ texts, isAsked: true });
const LONG = 'a prompt that is long enough';

describe('a completion', () => {
  it.each([
    ['a text', 'Say hi', ['Say hi']],
    ['several', ['a', 'b\n"é🌍"'], ['a', 'b\n"é🌍"']],
    ['token ids, whose text nobody knows', [1, 2, 3], null],
    ['lists of token ids', [[1], [2]], null],
  ])('has its prompt sent back where it says so: %s', (_what, prompt, texts) => {
    expect(echoOf({ prompt, echo: true })).toEqual({ texts, isAsked: true });
  });

  it.each([false, null, 1, 'true'])('does not with `echo: %s`', (echo) => {
    expect(echoOf({ prompt: 'a', echo })).toBeNull();
  });

  it('says so before its prompt or behind it, and the last word counts', () => {
    expect(echoOf('{"echo":true,"prompt":"a"}')).toEqual(asked('a'));
    expect(echoOf('{"echo":true,"prompt":"a","echo":false}')).toBeNull();
    expect(echoOf('{"\\u0065cho":true,"prompt":"a","prompt":"b"}')).toEqual(asked('b'));
  });

  it('whose body is cut in the prompt has one that nobody knows', () => {
    expect(echoOf('{"echo":true,"prompt":"abc')).toEqual({ texts: null, isAsked: true });
  });
});

describe('a chat', () => {
  it('has its last message sent back (vLLM)', () => {
    const messages = [{ role: 'user', content: 'a' }];
    expect(echoOf({ messages: [...messages, { role: 'assistant', content: 'It is' }], echo: true })).toEqual(
      asked('It is'),
    );
    const parts = [
      { type: 'text', text: 'x' },
      { type: 'image_url', image_url: {} },
      { type: 'text', text: 'y' },
    ];
    expect(echoOf({ messages: [{ role: 'assistant', content: parts }], echo: true })).toEqual(asked('x\ny'));
    expect(echoOf({ messages })).toBeNull();
  });

  it('has none sent back that is not of the role it answers in', () => {
    const messages = [{ role: 'user', content: 'The capital of France is' }];
    expect(echoOf({ messages, echo: true })).toBeNull();
    expect(echoOf({ messages, echo: true, add_generation_prompt: true })).toBeNull();
    expect(echoOf({ messages: [...messages, { role: 'tool', content: '4' }], echo: true })).toBeNull();
    const continued = { messages, echo: true, add_generation_prompt: false };
    expect(echoOf(continued)).toEqual(asked('The capital of France is'));
  });
});

describe('Triton', () => {
  it.each([
    ['is told to leave the prompt out', { exclude_input_in_output: true }, null],
    ['is told to send it', { exclude_input_in_output: false }, asked('a')],
    ['may send it unasked', {}, { texts: ['a'], isAsked: false }],
  ])('%s', (_what, rest, echo) => {
    expect(echoOf({ text_input: 'a', max_tokens: 5, ...rest })).toEqual(echo);
  });

  it('may get its text as a list of one', () => {
    expect(echoOf({ text_input: ['a'] })?.texts).toEqual(['a']);
    expect(echoOf({ text_input: 5 })).toBeNull();
  });
});

describe('TGI', () => {
  it('sends the prompt back with the full text, which its root does by default', () => {
    const full = (return_full_text: unknown) => echoOf({ inputs: LONG, parameters: { return_full_text } });
    expect([full(true), full(null)]).toEqual([
      { texts: [LONG], isAsked: false },
      { texts: [LONG], isAsked: false },
    ]);
    expect([full(false), echoOf({ inputs: 'short' })]).toEqual([null, null]);
    expect(echoOf({ inputs: 'short', parameters: { return_full_text: true } })?.texts).toEqual(['short']);
  });
});

it('never throws, whatever stands under its keys', () => {
  const key = fc.constantFrom(
    'echo',
    'prompt',
    'messages',
    'add_generation_prompt',
    'text_input',
    'inputs',
    'parameters',
  );
  fc.assert(fc.property(fc.dictionary(key, fc.oneof(fc.jsonValue(), fc.constant(true))), (body) => void echoOf(body)));
});
