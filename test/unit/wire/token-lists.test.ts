import { describe, expect, it } from 'vitest';
import { openaiChat } from '../../../src/wire/dialects/openai-chat.ts';
import { openaiCompletions } from '../../../src/wire/dialects/openai-completions.ts';
import type { AnswerHead, Dialect } from '../../../src/wire/facts.ts';
import { EVENT_STREAM, type FactLog, JSON_BODY, readAnswer } from '../../helpers/fact-log.ts';
import { metered } from '../../helpers/metered.ts';
import { content, cutStream, finish, role, stream, text, usage, usageChunk } from '../../helpers/openai-chunks.ts';
import { dialectLaws } from './laws.ts';

type Json = Record<string, unknown>;

const read = (body: string, dialect: Dialect = openaiChat, head: AnswerHead = EVENT_STREAM): FactLog =>
  readAnswer(dialect, [Buffer.from(body)], { head }).log;

/** The record of a streamed answer, each event of which comes 10 ms after the one before. */
function record(
  events: readonly Json[],
  ending: 'upstream_end' | 'client_left' = 'upstream_end',
  dialect = openaiChat,
) {
  const request = metered([], { dialect });
  request.begin();
  for (const event of events) {
    request.clock.advance(10);
    request.meter.chunk(Buffer.from(cutStream(event)), request.clock.nowMs());
  }
  return request.finish(ending);
}

/** A chunk or a body with something beside its choice's text. */
const beside = (chunk: Json, list: Json): Json => ({
  ...chunk,
  choices: (chunk['choices'] as Json[]).map((choice) => ({ ...choice, ...list })),
});
const ids = (...token_ids: number[]): Json => ({ token_ids, logprobs: null });
const logprobs = (...tokens: string[]): Json => ({
  logprobs: {
    content: tokens.map((token) => ({ token, logprob: -0.1, bytes: null, top_logprobs: [] })),
    refusal: null,
  },
});
const LISTED = [
  { ...role(), prompt_token_ids: [1, 2, 3, 4, 5] },
  beside(content('Hel'), ids(1, 2)),
  beside(content('lo'), ids(3)),
  beside(finish(), ids(4)),
];

describe('the laws of a dialect, with lists of tokens', () => {
  dialectLaws(openaiChat, {
    answers: [
      { name: 'token ids', head: EVENT_STREAM, body: stream(...LISTED) },
      {
        name: 'log probabilities',
        head: EVENT_STREAM,
        body: stream(beside(content('a'), logprobs('a')), beside(content('b', {}, 1), logprobs('b')), finish()),
      },
    ],
    withoutOutput: [
      { name: 'only the prompt', head: EVENT_STREAM, body: stream({ ...role(), prompt_token_ids: [1] }) },
    ],
  });
});

describe('token ids', () => {
  it('are the count where there is no usage, of output and prompt', () => {
    expect(record(LISTED)).toMatchObject({ input_tokens: 5, output_tokens: 4, usage_source: 'reported', chunks: 2 });
  });

  it('run: what came before a cut is counted', () => {
    expect(record(LISTED.slice(0, 3), 'client_left')).toMatchObject({
      input_tokens: 5,
      output_tokens: 3,
      usage_source: 'partial',
    });
  });

  it('are tokens also where a parser holds their text back', () => {
    const held = [role(), beside(content(''), ids(1)), beside(content(''), ids(2)), ...LISTED.slice(1)];
    expect(record(held)).toMatchObject({ ttft_ms: 20, output_tokens: 6 });
  });

  it.each([
    ['the usage that ends the stream', [...LISTED, usageChunk(7, 9)]],
    ['usage on the finish chunk', [...LISTED.slice(0, 3), beside(finish('stop', usage(7, 9)), ids(4))]],
  ])('yield to %s, greater or not', (_what, events) => {
    expect(record(events)).toMatchObject({ input_tokens: 7, output_tokens: 9, usage_source: 'reported' });
    const less = JSON.parse(JSON.stringify(events).replaceAll('"completion_tokens":9', '"completion_tokens":2'));
    expect(record(less).output_tokens).toBe(2);
  });

  it('yield to running usage, too', () => {
    const events = [beside(content('a', usage(7, 5)), ids(1)), beside(content('b', usage(7, 8)), ids(2))];
    expect(record(events, 'client_left')).toMatchObject({ output_tokens: 8, usage_source: 'partial' });
  });

  it('that some of the output lacks count nothing', () => {
    expect(record([...LISTED.slice(0, 2), content('x'), ...LISTED.slice(2)])).toMatchObject({
      usage_source: 'estimated',
    });
    expect(record([LISTED[1] ?? {}, content('x'), LISTED[2] ?? {}], 'client_left')).toMatchObject({
      usage_source: 'estimated',
    });
  });

  it('add up over choices, and each counts what it sends', () => {
    const events = [
      role(),
      role(1),
      beside(content('a'), ids(1)),
      beside(content('b', {}, 1), ids(1, 2)),
      beside(finish(), ids(3)),
      beside(finish('stop', {}, 1), ids(4)),
    ];
    expect(record(events)).toMatchObject({ output_tokens: 5, usage_source: 'reported', input_tokens: null });
  });

  it('of completions tell the prompt in the choice, of which only one is sure', () => {
    const chunk = (index: number) => beside(text('a', {}, index), { ...ids(1), prompt_token_ids: [1, 2, 3] });
    const input = (...chunks: Json[]) => read(cutStream(...chunks), openaiCompletions).merged.inputTokens;
    expect([input(chunk(0)), input(chunk(0), chunk(1))]).toEqual([3, undefined]);
  });

  it('of a body count it, if every choice has them', () => {
    const choice = (index: number, rest: Json) => ({
      index,
      message: { content: 'a' },
      finish_reason: 'stop',
      ...rest,
    });
    const body = (...choices: Json[]) => read(JSON.stringify({ choices }), openaiChat, JSON_BODY).merged;
    expect(body(choice(0, ids(1, 2)), choice(1, ids(3)))).toEqual({ outputTokens: 3 });
    expect(body(choice(0, ids(1, 2)), choice(1, {}))).toEqual({});
  });

  it('that are null are none', () => {
    const event = beside(content('a'), { token_ids: null, logprobs: null });
    expect(read(stream({ ...event, prompt_token_ids: null }, finish())).of('usage')).toEqual([]);
  });
});

describe('empty lists', () => {
  const nothing = [
    ['of completions (mlx-lm)', { logprobs: { tokens: [], token_logprobs: [], top_logprobs: [] } }],
    ['of log probabilities', { logprobs: { content: [], refusal: null } }],
    ['of ids', { token_ids: [] }],
  ] as const;

  it.each(nothing)('%s are no report of no tokens', (_what, list) => {
    const events = [beside(role(), list), beside(content('Hello'), list), beside(content(' you'), list)];
    expect(record([...events, beside(finish(), list)])).toMatchObject({ usage_source: 'estimated', output_tokens: 2 });
    expect(record(events, 'client_left')).toMatchObject({ usage_source: 'estimated', output_tokens: 2 });
    expect(record([beside(role(), list), beside(finish(), list)])).toMatchObject({ usage_source: 'none' });
  });

  it('beside a text show that the others leave tokens out', () => {
    const events = [beside(content('Hello'), ids(1, 2)), beside(content(' you'), ids()), beside(finish(), ids())];
    expect(record(events)).toMatchObject({ usage_source: 'estimated' });
  });

  it('beside no text are right: there was no token', () => {
    expect(record([beside(role(), ids()), ...LISTED.slice(1, 3), beside(finish(), ids())])).toMatchObject({
      usage_source: 'reported',
      output_tokens: 3,
    });
  });
});

describe('log probabilities', () => {
  it('are one for each token, in a chunk and in a body', () => {
    const events = [role(), beside(content('Hello'), logprobs('Hel', 'lo')), beside(content('!'), logprobs('!'))];
    expect(record([...events, finish()])).toMatchObject({ output_tokens: 3, usage_source: 'reported' });
    const choice = { index: 0, message: { content: 'Hello' }, finish_reason: 'stop', ...logprobs('Hel', 'lo') };
    expect(read(JSON.stringify({ choices: [choice] }), openaiChat, JSON_BODY).merged).toEqual({ outputTokens: 2 });
  });

  it('of completions stand under `tokens`, of reasoning and refusals under names of their own', () => {
    const completion = {
      logprobs: { tokens: ['a', 'b'], token_logprobs: [-1, -2], top_logprobs: null, text_offset: [] },
    };
    expect(read(cutStream(beside(text('ab'), completion)), openaiCompletions).merged.outputTokens).toBe(2);
    const split = { logprobs: { content: [], refusal: [{}], reasoning_content: [{}, {}] } };
    expect(read(cutStream(beside(content('a'), split))).merged.outputTokens).toBe(3);
    expect(read(cutStream(beside(content('a'), { logprobs: {} }))).of('usage')).toEqual([]);
  });

  it('are not looked at where there are ids', () => {
    expect(read(cutStream(beside(content('a'), { ...logprobs('a', 'b'), token_ids: [1] }))).merged.outputTokens).toBe(
      1,
    );
  });
});
