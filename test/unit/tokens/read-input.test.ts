import { describe, expect, it } from 'vitest';
import { inputOf, readInput } from '../../../src/tokens/read-input.ts';

const NOTHING = { messages: [], prompts: [], tools: [], extras: [], tokens: 0, isPartial: false };

describe('the prompt in a request body', () => {
  it('is the texts of the messages', () => {
    const body = {
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', name: 'ada', content: [{ type: 'text', text: 'one' }, 'two'] },
        { role: 'assistant', content: null },
      ],
    };
    expect(inputOf(body)).toEqual({
      ...NOTHING,
      messages: [
        { role: 'system', name: null, texts: ['Be brief.'] },
        { role: 'user', name: 'ada', texts: ['one', 'two'] },
        { role: 'assistant', name: null, texts: [] },
      ],
    });
  });

  it('is partial where a part is no text', () => {
    const content = [
      { type: 'text', text: 'what is this' },
      { type: 'image_url', image_url: { url: 'data:' } },
    ];
    expect(inputOf({ messages: [{ role: 'user', content }] })).toMatchObject({ isPartial: true });
  });

  it('keeps tools, schemas and tool calls apart', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } };
    const body = {
      messages: [{ role: 'assistant', content: null, tool_calls: [call] }],
      tools: [{ type: 'function', function: { name: 'add', description: 'Adds.' } }],
      functions: null,
      response_format: { type: 'json_schema', json_schema: { name: 's' } },
    };
    expect(inputOf(body)).toMatchObject({
      tools: [{ texts: ['add:Adds'], marks: 0 }],
      extras: ['add', '{"a":1}', '{"name":"s"}'],
      isPartial: false,
    });
  });

  it('is partial where the server brings a tool of its own', () => {
    expect(inputOf({ input: 'hi', tools: [{ type: 'web_search' }] })).toMatchObject({ tools: [], isPartial: true });
  });

  it('is the prompts of a completion, with token numbers counted as they are', () => {
    expect(inputOf({ prompt: 'one' })).toEqual({ ...NOTHING, prompts: ['one'] });
    expect(inputOf({ prompt: ['one', 'two'] })).toEqual({ ...NOTHING, prompts: ['one', 'two'] });
    expect(inputOf({ prompt: [[1, 2], [3]] })).toEqual({ ...NOTHING, tokens: 3 });
  });

  it('is the input of the responses API, its instructions and its tool items', () => {
    const system = { role: 'system', name: null, texts: ['Be brief.'] };
    const user = { role: 'user', name: null, texts: ['hi'] };
    expect(inputOf({ instructions: 'Be brief.', input: 'hi' })?.messages).toEqual([system, user]);
    const items = [
      { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: '4' },
    ];
    expect(inputOf({ input: items })).toMatchObject({
      messages: [user],
      extras: ['f', '{}', '4'],
    });
  });

  it("counts Anthropic's and Ollama's system prompt as a message", () => {
    const body = { system: [{ type: 'text', text: 'Be brief.' }], messages: [{ role: 'user', content: 'hi' }] };
    expect(inputOf(body)?.messages.map(({ role, texts }) => [role, ...texts])).toEqual([
      ['system', 'Be brief.'],
      ['user', 'hi'],
    ]);
  });

  it.each([[null], [7], ['text'], [[]], [{}], [{ model: 'm' }], [{ messages: 'no list' }]])('is none in %j', (body) => {
    expect(inputOf(body)).toBeNull();
  });

  it('is none in a body that is no JSON, was cut, or nests without end', () => {
    for (const text of [
      '',
      'plain',
      '{"messages":[{"role":"us',
      `{"prompt":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
    ]) {
      expect(readInput({ json: new TextEncoder().encode(text) })).toBeNull();
    }
  });

  it('survives messages of any shape', () => {
    const messages = [null, 1, 'x', [], {}, { role: 3, content: 4 }, { content: [null, [], { text: 5 }] }];
    expect(inputOf({ messages })?.messages).toHaveLength(3);
  });
});
