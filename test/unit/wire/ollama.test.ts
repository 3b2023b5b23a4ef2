import { describe, expect, it } from 'vitest';
import { ollamaChat, ollamaGenerate } from '../../../src/wire/dialects/ollama.ts';
import type { AnswerHead } from '../../../src/wire/facts.ts';
import { endpointOf } from '../../../src/wire/registry.ts';
import { FactLog, headOf, JSON_BODY, type ReadAnswer, readAnswer } from '../../helpers/fact-log.ts';
import { dialectLaws } from './laws.ts';

type Json = Record<string, unknown>;

const LINES: AnswerHead = headOf('application/x-ndjson');
const lines = (...messages: Json[]): string => messages.map((message) => `${JSON.stringify(message)}\n`).join('');
const read = (...messages: Json[]): ReadAnswer =>
  readAnswer(ollamaChat, [Buffer.from(lines(...messages))], { head: LINES });

const chat = (message: Json, rest: Json = { done: false }): Json => ({
  model: 'm',
  message: { role: 'assistant', content: '', ...message },
  ...rest,
});
const FINAL = {
  done: true,
  done_reason: 'stop',
  total_duration: 3_722_518_334,
  load_duration: 1_534_053_125,
  prompt_eval_count: 17,
  prompt_eval_duration: 179_676_000,
  eval_count: 2,
  eval_duration: 2_006_086_000,
};
const CHAT = [chat({ thinking: 'hm' }), chat({ content: 'Hel' }), chat({ content: 'lo' }), chat({}, FINAL)];
const GENERATE = [
  { model: 'm', response: 'Hel', done: false },
  { model: 'm', response: 'lo', done: false },
  { model: 'm', response: '', context: [1, 2, 3], ...FINAL },
];
const CALLS = { tool_calls: [{ function: { name: 'get', arguments: { city: 'Oslo' } } }] };
const LOADED = { model: 'm', response: '', done: true, done_reason: 'load' };

describe('the laws of a dialect, for Ollama', () => {
  dialectLaws(ollamaChat, {
    answers: [
      { name: 'lines called JSON', head: JSON_BODY, body: lines(...CHAT) },
      { name: 'the first of such lines', head: JSON_BODY, body: lines(...CHAT).split('\n')[0] ?? '' },
      { name: 'a body over several lines', head: JSON_BODY, body: JSON.stringify(chat({}, FINAL), null, 1) },
      { name: 'chat', head: LINES, body: lines(...CHAT) },
      { name: 'tools, CRLF', head: LINES, body: lines(chat(CALLS), chat({}, FINAL)).replaceAll('\n', '\r\n') },
      { name: 'generate', head: LINES, body: lines(...GENERATE) },
      { name: 'one body', head: JSON_BODY, body: JSON.stringify(chat({ content: 'Hello' }, FINAL)) },
    ],
    withoutOutput: [
      { name: 'a model that is loaded', head: JSON_BODY, body: JSON.stringify(LOADED) },
      { name: 'an empty answer', head: LINES, body: lines(chat({}, FINAL)) },
    ],
  });
});

describe('an answer', () => {
  it('comes a message a line', () => {
    const { log, complete, streamed } = read(...CHAT);
    expect([log.text('reasoning'), log.text('content'), complete, streamed]).toEqual(['hm', 'Hello', true, true]);
    expect(log.of('choiceEnded')).toEqual([{ kind: 'choiceEnded', choice: 0, reason: 'stop' }]);
  });

  it('calls tools whole', () => {
    expect(read(chat(CALLS)).log.text('tool')).toBe('get{"city":"Oslo"}');
  });

  it('has its counts in the last line, and durations in nanoseconds', () => {
    const { log } = read(...CHAT);
    expect([log.merged, log.hasFinalUsage]).toEqual([{ inputTokens: 17, outputTokens: 2 }, true]);
    expect(log.of('timings').map((fact) => fact.timings)).toEqual([
      { queue_ms: 1534.053125, prefill_ms: 179.676, decode_ms: 2006.086, total_ms: 3722.518334 },
    ]);
  });

  it('in one body says the same', () => {
    const body = readAnswer(ollamaGenerate, [Buffer.from(JSON.stringify({ response: 'Hello', ...FINAL }))], {
      head: JSON_BODY,
    });
    expect([body.log.text(), body.log.merged, body.streamed]).toEqual(['Hello', read(...CHAT).log.merged, false]);
  });

  it('B22: without a prompt count has no input count', () => {
    const { prompt_eval_count: _, ...final } = FINAL;
    expect(read(chat({ content: 'a' }), chat({}, final)).log.merged).toEqual({ outputTokens: 2 });
  });

  it('B23: says what of its input was cached', () => {
    const cached = { ...FINAL, prompt_eval_count: 900, prompt_eval_cached_count: 850 };
    expect(read(chat({}, cached)).log.merged).toEqual({ inputTokens: 900, cachedInputTokens: 850, outputTokens: 2 });
  });

  it('B32: that only loaded a model has no tokens, and is whole', () => {
    const { log, complete } = readAnswer(ollamaGenerate, [Buffer.from(JSON.stringify(LOADED))], { head: JSON_BODY });
    expect([log.of('output'), log.of('usage'), log.of('choiceEnded')[0]?.reason, complete]).toEqual([
      [],
      [],
      'load',
      true,
    ]);
  });

  it('B49: that ends in an error has failed', () => {
    const { log, complete } = read(chat({ content: 'a' }), { error: 'an error was encountered' });
    expect([log.of('failed').length, complete]).toEqual([1, false]);
  });

  it('B52: that stops without its last line is not whole', () => {
    expect(read(...CHAT.slice(0, -1)).complete).toBe(false);
  });

  it('in lines called JSON is told line by line, whatever the cut', () => {
    const [first = '', ...rest] = lines(...CHAT.slice(1)).split(/(?<=\n)/);
    const log = new FactLog();
    const opened = ollamaChat.open(JSON_BODY, log, 10_000);
    opened?.reader.push(Buffer.from(first.slice(0, -1)));
    expect(log.text()).toBe('');
    opened?.reader.push(Buffer.from('\n'));
    expect([log.text(), opened?.streamed, opened?.reader.complete]).toEqual(['Hel', true, false]);
    for (const line of rest) opened?.reader.push(Buffer.from(line));
    opened?.reader.end(true);
    expect([log.text(), opened?.reader.complete]).toEqual(['Hello', true]);
  });

  it.each(['', '\n'])('that breaks off behind the first of such lines is not whole, its end %j or not', (end) => {
    const body = Buffer.from(`${JSON.stringify(CHAT[1])}${end}`);
    const { log, complete, streamed } = readAnswer(ollamaChat, [body], { head: JSON_BODY, whole: false });
    expect([log.text(), complete, streamed]).toEqual(['Hel', false, true]);
  });

  it.each([undefined, 1])('in one body stays one, with a line end behind it or over several lines', (space) => {
    const body = `${JSON.stringify(chat({ content: 'Hello' }, FINAL), null, space)}\n`;
    const { log, complete, streamed } = readAnswer(ollamaChat, [Buffer.from(body)], { head: JSON_BODY });
    expect([log.text(), log.merged.outputTokens, complete, streamed]).toEqual(['Hello', 2, true, false]);
  });

  it('with log probabilities is counted by them as it runs', () => {
    const listed = (text: string, ...tokens: string[]) =>
      chat({ content: text }, { done: false, logprobs: tokens.map((token) => ({ token, logprob: -1 })) });
    const cut = read(listed('Hel', 'Hel'), listed('lo you', 'lo', ' you'));
    expect(cut.log.of('usage').map(({ snapshot, origin }) => [snapshot.outputTokens, origin])).toEqual([
      [1, 'lists'],
      [3, 'lists'],
    ]);
    expect(read(listed('a')).log.of('usage')).toEqual([]);
  });

  it('whose last line lacks its end is whole', () => {
    const body = lines(...CHAT).trimEnd();
    expect(readAnswer(ollamaChat, [Buffer.from(body)], { head: LINES }).log.merged.outputTokens).toBe(2);
  });
});

describe('the endpoint', () => {
  it.each([
    ['/api/chat', 'ollama.chat'],
    ['/api/generate', 'ollama.generate'],
    ['/ollama/api/chat', 'ollama.chat'],
  ])('POST %s streams unless told otherwise', (path, api) => {
    expect(endpointOf('POST', path)).toMatchObject({ api, generation: true, streamsByDefault: true });
  });

  it.each(['/api/pull', '/api/push', '/api/create', '/api/show', '/api/copy'])('is not %s', (path) => {
    expect(endpointOf('POST', path).api).toBe('other');
  });
});
