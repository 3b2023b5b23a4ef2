/** FAULTS.md, section A, as far as it concerns chat and text completions: one test for each entry. */
import { describe, expect, it } from 'vitest';
import { openaiChat } from '../../../src/wire/dialects/openai-chat.ts';
import { openaiCompletions } from '../../../src/wire/dialects/openai-completions.ts';
import { headOf, type ReadAnswer, readAnswer } from '../../helpers/fact-log.ts';
import {
  content,
  cutStream,
  delta,
  finish,
  lastText,
  role,
  stream,
  text,
  usage,
  usageChunk,
} from '../../helpers/openai-chunks.ts';

const read = (...pieces: string[]): ReadAnswer =>
  readAnswer(
    openaiChat,
    pieces.map((piece) => Buffer.from(piece)),
  );
const ANSWER = [role(), content('a'), content('b'), finish()];

describe('A. usage', () => {
  it('B01: usage that nobody sent is absent, not zero', () => {
    expect(read(stream(...ANSWER)).log.of('usage')).toEqual([]);
  });

  it('B04: a chunk that holds only usage is read', () => {
    expect(read(stream(...ANSWER, usageChunk(7, 2))).log.merged).toEqual({ inputTokens: 7, outputTokens: 2 });
  });

  it('B05: so is one without the key `choices`', () => {
    expect(read(stream(...ANSWER, usage(7, 2))).log.merged).toEqual({ inputTokens: 7, outputTokens: 2 });
  });

  it('B06: Azure’s preamble is no output, and the usage at the end is kept', () => {
    const { log } = read(stream({ choices: [], prompt_filter_results: [{}], model: '' }, ...ANSWER, usageChunk(7, 2)));
    expect(log.facts[1]).toEqual({ kind: 'event' });
    expect([log.of('output').length, log.merged]).toEqual([2, { inputTokens: 7, outputTokens: 2 }]);
  });

  it('B07, B08: running usage on every chunk is no sum', () => {
    const chunks = [0, 1, 2, 3].map((tokens) => content('x', usage(5, tokens)));
    expect(read(stream(...chunks)).log.merged).toEqual({ inputTokens: 5, outputTokens: 3 });
  });

  it('B12, B13: cached tokens are part of the input, streamed or not', () => {
    const counts = usage(1203, 5, { prompt_tokens_details: { cached_tokens: 1000 } });
    const body = JSON.stringify({ choices: [{ message: { content: 'a' } }], ...counts });
    const unstreamed = readAnswer(openaiChat, [Buffer.from(body)], {
      head: headOf('application/json'),
    });
    const expected = { inputTokens: 1203, cachedInputTokens: 1000, outputTokens: 5 };
    expect(unstreamed.log.merged).toEqual(expected);
    expect(read(stream(content('a'), { choices: [], ...counts })).log.merged).toEqual(expected);
  });

  it('B15: usage inside the choice is found where there is no other', () => {
    const choice = { index: 0, delta: {}, finish_reason: 'stop', ...usage(8, 3) };
    expect(read(stream(content('a'), { choices: [choice] })).log.merged).toEqual({ inputTokens: 8, outputTokens: 3 });
    expect(read(stream({ choices: [choice], ...usage(7, 2) })).log.merged).toEqual({ inputTokens: 7, outputTokens: 2 });
  });

  it('B17: an unknown model changes nothing', () => {
    const { log } = read(stream(content('a', { model: 'moonshot-v1-128k' }), usageChunk(7, 42)));
    expect([log.of('model')[0]?.name, log.merged.outputTokens]).toEqual(['moonshot-v1-128k', 42]);
  });

  it('B19: usage before the finish and after it is the same', () => {
    for (const order of [
      [usageChunk(7, 2), finish()],
      [finish(), usageChunk(7, 2)],
    ]) {
      const { log } = read(stream(content('a'), ...order));
      expect([log.merged, log.hasFinalUsage]).toEqual([{ inputTokens: 7, outputTokens: 2 }, true]);
    }
  });

  it('B20: a later chunk with usage null, or none, erases nothing', () => {
    const { log } = read(stream(content('a'), usageChunk(7, 2), { choices: [], usage: null }, { choices: [] }));
    expect(log.merged).toEqual({ inputTokens: 7, outputTokens: 2 });
  });

  it('B21: zero-filled usage is not said until the real one comes (Ollama)', () => {
    const zero = { ...usage(0, 0, { total_tokens: 0 }) };
    const chunks = ['a', 'b', 'c'].map((value) => text(value, zero));
    const readText = (body: string) => readAnswer(openaiCompletions, [Buffer.from(body)]).log;
    expect(readText(cutStream(...chunks)).of('usage')).toEqual([]);
    expect(readText(cutStream(...chunks, lastText('', zero))).of('usage')).toEqual([]);
    expect(readText(stream(...chunks, lastText('', zero), usageChunk(5, 9))).of('usage')).toHaveLength(1);
  });

  it('B24: llama.cpp’s prompt_n is no input, its cache_n is what was cached', () => {
    const timings = { timings: { prompt_n: 1, cache_n: 236, predicted_n: 35 } };
    const { log } = read(stream(content('a'), finish('stop', { ...usage(237, 35), ...timings })));
    expect(log.merged).toEqual({ inputTokens: 237, cachedInputTokens: 236, outputTokens: 35 });
  });

  it('B25: running usage per choice, cut short, adds up over the choices', () => {
    const chunks = [content('a', usage(5, 3)), content('b', usage(5, 4), 1)];
    const { log } = read(cutStream(...chunks));
    expect([log.merged, log.hasFinalUsage]).toEqual([{ inputTokens: 5, outputTokens: 7 }, false]);
  });

  it('B26: a turn of nothing but tool calls has output', () => {
    const call = (name: string, args: string) =>
      delta({ tool_calls: [{ index: 0, function: { name, arguments: args } }] });
    expect(read(stream(role(), call('get', ''), call('', '{"a":'), call('', '1}'))).log.text('tool')).toBe(
      'get{"a":1}',
    );
  });

  it('B27: reasoning counts once under either name, and once under both', () => {
    const chunks = [{ reasoning: 'a' }, { reasoning_content: 'b' }, { reasoning: 'c', reasoning_content: 'c' }];
    const details = { reasoning: 'd', reasoning_details: [{ type: 'reasoning.text', text: 'd' }] };
    expect(read(stream(...[...chunks, details].map((payload) => delta(payload)))).log.text('reasoning')).toBe('abcd');
  });

  it('B28: chunks and tokens are told apart', () => {
    const { log } = read(stream(...Array.from({ length: 10 }, () => content('four tokens in one')), usageChunk(3, 40)));
    expect([log.of('output').length, log.merged.outputTokens]).toEqual([10, 40]);
  });

  it('B29: a running count that grows over empty deltas is told with its event', () => {
    const { log } = read(cutStream(content('', usage(5, 0)), content('', usage(5, 30))));
    expect(log.facts.filter((fact) => fact.kind !== 'model').map((fact) => fact.kind)).toEqual([
      'event',
      'usage',
      'event',
      'usage',
    ]);
    expect([log.merged.outputTokens, log.of('output')]).toEqual([30, []]);
  });

  it('B30: what was counted before the cut is kept, and is not final', () => {
    const { log, complete } = read(cutStream(content('a', usage(5, 1)), content('b', usage(5, 2))));
    expect([log.merged.outputTokens, log.hasFinalUsage, complete]).toEqual([2, false, false]);
  });
});
