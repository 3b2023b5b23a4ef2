import { describe, expect, it } from 'vitest';
import { sglangGenerate, tgiGenerate } from '../../../src/wire/dialects/text-generation.ts';
import type { AnswerHead, Dialect } from '../../../src/wire/facts.ts';
import { endpointOf } from '../../../src/wire/registry.ts';
import { EVENT_STREAM, FactLog, headOf, JSON_BODY, type ReadAnswer, readAnswer } from '../../helpers/fact-log.ts';
import { cutStream, stream } from '../../helpers/openai-chunks.ts';
import { dialectLaws } from './laws.ts';

type Json = Record<string, unknown>;

const read = (...messages: Json[]): ReadAnswer => readAnswer(sglangGenerate, [Buffer.from(cutStream(...messages))]);
const readBody = (body: unknown): ReadAnswer =>
  readAnswer(sglangGenerate, [Buffer.from(JSON.stringify(body))], { head: JSON_BODY });

/** TGI's, without a blank behind the colon as it writes them. */
const tgiStream = (...messages: Json[]): string => cutStream(...messages).replaceAll('data: ', 'data:');
const token = (index: number, text: string, rest: Json = {}): Json => ({
  index,
  token: { id: index, text, logprob: -0.1, special: false },
  generated_text: null,
  details: null,
  ...rest,
});
const DETAILS = { finish_reason: 'eos_token', generated_tokens: 3, seed: null, input_length: 7 };
const lastToken = (index: number, rest: Json = {}): Json => ({
  ...token(index, '</s>', { generated_text: 'Hello', ...rest }),
  token: { id: 2, text: '</s>', logprob: 0, special: true },
});
const TGI = [token(1, 'Hel'), token(2, 'lo'), lastToken(3, { details: DETAILS })];

const meta = (completion: number, rest: Json = {}): Json => ({
  id: 'r',
  finish_reason: null,
  prompt_tokens: 7,
  completion_tokens: completion,
  cached_tokens: 1,
  ...rest,
});
const STOP = { finish_reason: { type: 'stop', matched: 2 }, e2e_latency: 0.25 };
const sglang = (text: string, meta_info: Json, rest: Json = {}): Json => ({ text, meta_info, ...rest });
const SGLANG = [sglang('Hel', meta(1)), sglang('Hello', meta(2)), sglang('Hello', meta(3, STOP))];

const apiOf = (dialect: Dialect, head: AnswerHead, body: string) => {
  const opened = dialect.open(head, new FactLog(), 10_000);
  opened?.reader.push(Buffer.from(body));
  opened?.reader.end(true);
  return opened?.api;
};

describe('the laws of a dialect, for paths of text generation', () => {
  dialectLaws(sglangGenerate, {
    answers: [
      { name: 'TGI', head: EVENT_STREAM, body: tgiStream(...TGI) },
      { name: 'TGI, one body', head: JSON_BODY, body: JSON.stringify({ generated_text: 'Hello', details: DETAILS }) },
      { name: 'SGLang', head: EVENT_STREAM, body: stream(...SGLANG) },
      { name: 'SGLang, a batch', head: JSON_BODY, body: JSON.stringify([SGLANG[2], SGLANG[2]]) },
      {
        name: 'SGLang, interleaved',
        head: EVENT_STREAM,
        body: stream(sglang('a', meta(1), { index: 0 }), sglang('b', meta(1), { index: 1 })),
      },
    ],
    withoutOutput: [
      { name: 'an end token', head: EVENT_STREAM, body: tgiStream(lastToken(1)) },
      { name: 'no text', head: EVENT_STREAM, body: stream(sglang('', meta(0)), sglang('', meta(0, STOP))) },
      { name: 'something else', head: JSON_BODY, body: '{"jsonrpc":"2.0","result":{"text":"x"}}' },
    ],
  });
});

describe('TGI', () => {
  it('sends a token an event: their number is a running count', () => {
    const { log } = read(token(1, 'Hel'), token(2, 'lo'));
    expect(log.of('usage').map(({ snapshot, final }) => [snapshot.outputTokens, final])).toEqual([
      [1, false],
      [2, false],
    ]);
  });

  it('counts in `details` at the end, if it was asked to', () => {
    const { log, complete } = read(...TGI);
    expect([log.text(), log.merged, log.hasFinalUsage, complete]).toEqual([
      'Hello',
      { inputTokens: 7, outputTokens: 3 },
      true,
      true,
    ]);
    expect(log.of('choiceEnded')).toEqual([{ kind: 'choiceEnded', choice: 0, reason: 'eos_token' }]);
  });

  it('has sent as many tokens as it generated if it was not', () => {
    const { log, complete } = read(token(1, 'Hel'), token(2, 'lo'), lastToken(3));
    expect([log.merged, log.hasFinalUsage, complete]).toEqual([{ outputTokens: 3 }, true, true]);
  });

  it('is not over before the whole text came', () => {
    expect(read(...TGI.slice(0, -1)).complete).toBe(false);
  });

  it('counts an unstreamed prompt by listing it', () => {
    const details = { finish_reason: 'length', generated_tokens: 2, prefill: [{ id: 1 }, { id: 5 }], tokens: [{}, {}] };
    const { log } = readBody({ generated_text: 'Hello', details });
    expect([log.text(), log.merged]).toEqual(['Hello', { inputTokens: 2, outputTokens: 2 }]);
    const listed = readBody({ generated_text: 'Hello', details: { ...details, generated_tokens: null } });
    expect(listed.log.merged).toEqual({ inputTokens: 2, outputTokens: 2 });
    expect(readBody({ generated_text: 'Hello' }).log.of('usage')).toEqual([]);
  });

  it('answers at its root with a list', () => {
    const { log, complete, streamed } = readBody([{ generated_text: 'Hello' }]);
    expect([log.text(), complete, streamed]).toEqual(['Hello', true, false]);
  });

  it('has its prompt in a header where the details leave it out, or list none of it', () => {
    const head = headOf('application/json', 200, { 'x-prompt-tokens': '17', 'x-generated-tokens': '20' });
    const readWith = (details: Json) =>
      readAnswer(tgiGenerate, [Buffer.from(JSON.stringify({ generated_text: 'Hi', details }))], { head }).log;
    expect(readWith({ finish_reason: 'length', generated_tokens: 21, prefill: [] }).merged).toEqual({
      inputTokens: 17,
      outputTokens: 21,
    });
    expect(readWith({ finish_reason: 'length' }).merged).toEqual({ inputTokens: 17, outputTokens: 20 });
  });

  it('B49: reports an error in an event', () => {
    const { log, complete } = read(token(1, 'a'), { error: 'Request failed', error_type: 'generation' });
    expect([log.of('failed').length, complete]).toEqual([1, false]);
  });
});

describe('SGLang', () => {
  it('sends all of its text each time, and it counts once', () => {
    const { log, complete } = read(...SGLANG);
    expect([log.text(), log.merged, log.hasFinalUsage, complete]).toEqual([
      'Hello',
      { inputTokens: 7, cachedInputTokens: 1, outputTokens: 3 },
      true,
      true,
    ]);
    expect(log.of('choiceEnded')[0]?.reason).toBe('stop');
    expect(log.of('timings')[0]?.timings).toMatchObject({ total_ms: 250 });
  });

  it('sends parts instead, where it was started so', () => {
    const texts = ['Hel', 'lo', '!'];
    expect(read(...texts.map((text, at) => sglang(text, meta(at + 1)))).log.text()).toBe('Hello!');
  });

  it('gives away by its token ids which of them it does', () => {
    const ids = (count: number) => ({ output_ids: Array.from({ length: count }, () => 1) });
    const whole = ['ha', 'haha', 'hahaha'].map((text, at) => sglang(text, meta(2 * at + 2), ids(2 * at + 2)));
    const parts = ['ha', 'ha', 'ha'].map((text, at) => sglang(text, meta(2 * at + 2), ids(2)));
    expect([read(...whole).log.text(), read(...parts).log.text()]).toEqual(['hahaha', 'hahaha']);
  });

  it('sends the same text twice where it sends parts that repeat themselves', () => {
    const texts = ['ha', 'ha', 'ha', '!'].map((text, at) => sglang(text, meta(at + 1)));
    expect(read(...texts).log.text()).toBe('hahaha!');
    const verse = 'The cat sat on the mat. ';
    const verses = [verse, verse, verse].map((text, at) => sglang(text, meta(9 * (at + 1))));
    expect(read(...verses).log.text()).toBe(verse.repeat(2) + verse);
  });

  it('counts by its token ids where it does not count, whole or in parts', () => {
    const uncounted = (text: string, output_ids: number[], rest: Json = {}) =>
      sglang(text, { id: 'r', finish_reason: null, ...rest }, { output_ids });
    const parts = read(uncounted('a', [5]), uncounted('b', [6, 7]), uncounted('c', [8], STOP));
    expect([parts.log.merged, parts.log.text()]).toEqual([{ outputTokens: 4 }, 'abc']);
    const whole = read(uncounted('a', [5]), uncounted('ab', [5, 6, 7]), uncounted('abc', [5, 6, 7, 8], STOP));
    expect([whole.log.merged, whole.log.text()]).toEqual([{ outputTokens: 4 }, 'abc']);
    expect(whole.log.of('usage').at(-1)).toMatchObject({ final: true, origin: 'lists' });
  });

  it('B29: tells a count that grows while its text does not', () => {
    const { log } = read(sglang('', meta(0)), sglang('', meta(30)));
    expect([log.of('output'), log.of('usage').map(({ snapshot }) => snapshot.outputTokens)]).toEqual([[], [0, 30]]);
  });

  it('counts running, and says so', () => {
    const { log, complete } = read(...SGLANG.slice(0, 2));
    expect([log.merged.outputTokens, log.hasFinalUsage, complete]).toEqual([2, false, false]);
  });

  it('answers several prompts at once, whose counts add up', () => {
    const { log, complete } = read(
      sglang('a', meta(1), { index: 0 }),
      sglang('b', meta(1, { prompt_tokens: 5, cached_tokens: 0 }), { index: 1 }),
      sglang('ab', meta(2, STOP), { index: 0 }),
      sglang('bcd', meta(3, { ...STOP, prompt_tokens: 5, cached_tokens: 0 }), { index: 1 }),
    );
    expect([log.text('content', 0), log.text('content', 1), complete]).toEqual(['ab', 'bcd', true]);
    expect([log.merged, log.hasFinalUsage]).toEqual([{ inputTokens: 12, cachedInputTokens: 1, outputTokens: 5 }, true]);
    const last = new Map(log.of('choiceTokens').map((fact) => [fact.choice, fact.outputTokens]));
    expect([...last]).toEqual([
      [0, 2],
      [1, 3],
    ]);
  });

  it('answers a batch that is not streamed with a list, in order', () => {
    const { log, complete } = readBody([sglang('a', meta(1, STOP)), sglang('b', meta(2, STOP))]);
    expect([log.text('content', 0), log.text('content', 1), complete]).toEqual(['a', 'b', true]);
    expect(log.merged).toEqual({ inputTokens: 14, cachedInputTokens: 2, outputTokens: 3 });
  });

  it('B49: aborts what went wrong', () => {
    const { log } = read(sglang('', meta(0, { finish_reason: { type: 'abort', message: 'x' } })));
    expect(log.of('failed')).toHaveLength(1);
  });
});

describe('the shape', () => {
  it('tells whose answer it is', () => {
    expect(apiOf(sglangGenerate, EVENT_STREAM, tgiStream(...TGI))).toBe('tgi.generate');
    expect(apiOf(tgiGenerate, EVENT_STREAM, stream(...SGLANG))).toBe('sglang.generate');
    expect(apiOf(tgiGenerate, JSON_BODY, '{"error":"x","error_type":"validation"}')).toBeNull();
  });

  it('is told by the first message that has one: a ping tells nothing', () => {
    const ping = { type: 'ping' };
    expect(apiOf(tgiGenerate, EVENT_STREAM, cutStream(ping, ...TGI))).toBe('tgi.generate');
    expect(read(ping, ...SGLANG).log.text()).toBe('Hello');
  });

  it('that is of neither leaves the end of the body as the end', () => {
    const messages = { jsonrpc: '2.0', method: 'progress' };
    expect(apiOf(tgiGenerate, EVENT_STREAM, cutStream(messages))).toBe('other');
    expect(read(messages).complete).toBe(true);
    expect(readAnswer(tgiGenerate, [Buffer.from(cutStream(messages))], { whole: false }).complete).toBe(false);
  });

  it.each([
    ['/generate', 'sglang.generate', false],
    ['/generate_stream', 'tgi.generate', true],
    ['/', 'tgi.generate', false],
  ])('POST %s is %s until it is known', (path, api, streamsByDefault) => {
    expect(endpointOf('POST', path)).toMatchObject({ api, generation: true, streamsByDefault });
  });
});
