import { describe, expect, it } from 'vitest';
import { llamacppCompletion } from '../../../src/wire/dialects/llamacpp-completion.ts';
import { openaiCompletions } from '../../../src/wire/dialects/openai-completions.ts';
import type { Dialect } from '../../../src/wire/facts.ts';
import { endpointOf } from '../../../src/wire/registry.ts';
import { EVENT_STREAM, FactLog, JSON_BODY, type ReadAnswer, readAnswer } from '../../helpers/fact-log.ts';
import { cutStream, lastText, text as openaiText, stream } from '../../helpers/openai-chunks.ts';
import { dialectLaws } from './laws.ts';

type Json = Record<string, unknown>;

const read = (...messages: Json[]): ReadAnswer => readAnswer(llamacppCompletion, [Buffer.from(cutStream(...messages))]);
const readBody = (body: unknown, dialect: Dialect = llamacppCompletion): ReadAnswer =>
  readAnswer(dialect, [Buffer.from(JSON.stringify(body))], { head: JSON_BODY });

const text = (content: string, predicted: number, rest: Json = {}): Json => ({
  index: 0,
  content,
  tokens: [],
  stop: false,
  id_slot: 0,
  tokens_predicted: predicted,
  tokens_evaluated: 237,
  ...rest,
});
const TIMINGS = { cache_n: 236, prompt_n: 1, prompt_ms: 12.5, predicted_n: 2, predicted_ms: 480 };
const FINAL = {
  stop: true,
  model: 'm',
  generation_settings: { n_predict: 16 },
  prompt: '<s> Hi',
  truncated: false,
  stop_type: 'limit',
  tokens_cached: 239,
  timings: TIMINGS,
};
const PLAIN = [text('Hel', 1), text('lo', 2), text('', 2, FINAL)];

describe('the laws of a dialect, for llamacpp.completion', () => {
  dialectLaws(llamacppCompletion, {
    answers: [
      { name: 'events', head: EVENT_STREAM, body: cutStream(...PLAIN) },
      { name: 'one body', head: JSON_BODY, body: JSON.stringify(text('Hello', 2, FINAL)) },
      { name: 'several prompts', head: JSON_BODY, body: JSON.stringify([PLAIN[2], text('a', 1, { index: 1 })]) },
    ],
    withoutOutput: [
      {
        name: 'progress',
        head: EVENT_STREAM,
        body: cutStream(text('', 0, { prompt_progress: { total: 237, cache: 0, processed: 64, time_ms: 9 } })),
      },
    ],
  });
});

describe('llama.cpp’s own completion', () => {
  it('counts running, and at the end', () => {
    const { log, complete } = read(...PLAIN);
    expect([log.text(), complete, log.hasFinalUsage, log.of('model')[0]?.name]).toEqual(['Hello', true, true, 'm']);
    expect(log.of('usage').map(({ snapshot, final }) => [snapshot.outputTokens, final])).toEqual([
      [1, false],
      [2, false],
      [2, true],
    ]);
  });

  it('B24: has the whole prompt as its input; what of it was cached only its timings say', () => {
    expect(read(...PLAIN).log.merged).toEqual({ inputTokens: 237, cachedInputTokens: 236, outputTokens: 2 });
    expect(read(text('', 2, { ...FINAL, timings: undefined })).log.merged).toEqual({
      inputTokens: 237,
      outputTokens: 2,
    });
  });

  it('reports its timings in milliseconds', () => {
    expect(read(...PLAIN).log.of('timings')[0]?.timings).toEqual({
      queue_ms: null,
      prefill_ms: 12.5,
      decode_ms: 480,
      total_ms: null,
    });
  });

  it.each([
    [{ stop_type: 'eos' }, 'eos'],
    [{ stop_type: undefined, stopped_limit: true, stopped_eos: false }, 'limit'],
    [{ stop_type: undefined }, 'stop'],
  ])('says why it stopped: %o', (rest, reason) => {
    expect(read(text('', 2, { ...FINAL, ...rest })).log.of('choiceEnded')[0]?.reason).toBe(reason);
  });

  it('is not over before its last event', () => {
    expect(read(...PLAIN.slice(0, -1)).complete).toBe(false);
  });

  it('answers several prompts with a list, whose counts add up', () => {
    const { log, complete } = readBody([text('a', 2, FINAL), text('b', 3, { ...FINAL, index: 1 })]);
    expect([log.text('content', 0), log.text('content', 1), complete]).toEqual(['a', 'b', true]);
    expect(log.merged).toEqual({ inputTokens: 474, cachedInputTokens: 472, outputTokens: 5 });
  });

  it('B50: breaks off with an error field of its own', () => {
    const body = `${cutStream(text('a', 1))}error: {"code":500,"message":"x"}\n\n`;
    const { log, complete } = readAnswer(llamacppCompletion, [Buffer.from(body)]);
    expect([log.of('failed').length > 0, complete]).toEqual([true, false]);
  });
});

describe('a path that it shares with OpenAI', () => {
  const apiOf = (body: string) => {
    const opened = openaiCompletions.open(EVENT_STREAM, new FactLog(), 10_000);
    opened?.reader.push(Buffer.from(body));
    return opened?.api;
  };

  it('is read by the shape of the answer', () => {
    const own = readAnswer(openaiCompletions, [Buffer.from(cutStream(...PLAIN))]);
    expect([own.log.text(), own.log.merged, own.complete]).toEqual([
      'Hello',
      { inputTokens: 237, cachedInputTokens: 236, outputTokens: 2 },
      true,
    ]);
    expect(readBody([PLAIN[2]], openaiCompletions).log.merged.inputTokens).toBe(237);
    expect(apiOf(cutStream(...PLAIN))).toBe('llamacpp.completion');
    expect(apiOf(stream(openaiText('a'), lastText('b')))).toBeNull();
  });

  it.each([
    ['/completion', 'llamacpp.completion'],
    ['/infill', 'llamacpp.completion'],
    ['/completions', 'openai.completions'],
    ['/v1/completions', 'openai.completions'],
  ])('POST %s is %s at first', (path, api) => {
    expect(endpointOf('POST', path)).toMatchObject({ api, generation: true });
  });
});
