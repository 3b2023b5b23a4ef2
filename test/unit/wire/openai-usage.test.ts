import { describe, expect, it } from 'vitest';
import { openaiChat } from '../../../src/wire/dialects/openai-chat.ts';
import { openaiCompletions } from '../../../src/wire/dialects/openai-completions.ts';
import type { Dialect } from '../../../src/wire/facts.ts';
import { type FactLog, headOf, readAnswer } from '../../helpers/fact-log.ts';
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

const read = (body: string, dialect: Dialect = openaiChat): FactLog => readAnswer(dialect, [Buffer.from(body)]).log;
/** The chunk with what an engine adds to its choice. */
const engine = (chunk: Record<string, unknown>, key: string): Record<string, unknown> => ({
  ...chunk,
  choices: (chunk['choices'] as object[]).map((choice) => ({ ...choice, [key]: null })),
});
const finality = (log: FactLog): boolean[] => log.of('usage').map((fact) => fact.final);

describe('usage in canonical counts', () => {
  it.each([
    ['cached tokens in the details', { prompt_tokens_details: { cached_tokens: 4 } }, { cachedInputTokens: 4 }],
    [
      'cached tokens as cache hits (DeepSeek)',
      { prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 3 },
      { cachedInputTokens: 4 },
    ],
    ['cached tokens beside them (Together)', { cached_tokens: 4 }, { cachedInputTokens: 4 }],
    [
      'more cached than there is prompt, raw (Azure)',
      { prompt_tokens_details: { cached_tokens: 403 } },
      { cachedInputTokens: 403 },
    ],
    ['cache writes (OpenRouter)', { prompt_tokens_details: { cache_write_tokens: 2 } }, { cacheWriteInputTokens: 2 }],
    [
      'reasoning inside the output',
      { completion_tokens_details: { reasoning_tokens: 3 }, total_tokens: 17 },
      { reasoningTokens: 3 },
    ],
    ['details that are null (Writer)', { prompt_token_details: null, completion_tokens_details: null }, {}],
  ])('reads %s', (_name, details, expected) => {
    expect(read(stream(usageChunk(7, 10, details))).merged).toEqual({ inputTokens: 7, outputTokens: 10, ...expected });
  });

  it('adds reasoning that lies outside the output, as the total tells (xAI)', () => {
    const details = { completion_tokens_details: { reasoning_tokens: 290 }, total_tokens: 303 };
    expect(read(stream(usageChunk(12, 1, details))).merged).toEqual({
      inputTokens: 12,
      outputTokens: 291,
      reasoningTokens: 290,
    });
  });

  it.each([
    ['the cache was counted apart', 1260, { cache_read_input_tokens: 1000, cache_creation_input_tokens: 200 }],
    ['what was read from the cache', 1060, { prompt_tokens_details: { cached_tokens: 1000 } }],
    ['what was written to it', 260, { cache_creation_input_tokens: 200, cache_read_input_tokens: 0 }],
  ])('makes input and output add up to the total: %s', (_what, total_tokens, details) => {
    const { merged } = read(stream(usageChunk(10, 50, { ...details, total_tokens })));
    expect([merged.inputTokens, merged.outputTokens]).toEqual([total_tokens - 50, 50]);
  });

  it.each([
    ['the cache is inside', 60, { cache_read_input_tokens: 8, prompt_tokens_details: { cached_tokens: 8 } }],
    [
      'the reasoning was counted apart, as large as a cache that can be inside',
      69,
      { prompt_tokens_details: { cached_tokens: 9 }, completion_tokens_details: { reasoning_tokens: 9 } },
    ],
    ['nobody says what it is', 100, { prompt_tokens_details: { cached_tokens: 4 } }],
  ])('takes what the total holds for output: %s', (_what, total_tokens, details) => {
    const { merged } = read(stream(usageChunk(10, 50, { ...details, total_tokens })));
    expect([merged.inputTokens, merged.outputTokens]).toEqual([10, total_tokens - 10]);
  });

  it('parts a total that holds a cache and reasoning beside both', () => {
    const details = { cache_read_input_tokens: 1000, completion_tokens_details: { reasoning_tokens: 30 } };
    const { merged } = read(stream(usageChunk(10, 50, { ...details, total_tokens: 1090 })));
    expect([merged.inputTokens, merged.outputTokens, merged.reasoningTokens]).toEqual([1010, 80, 30]);
  });

  it('takes a cache for a part of the input where there is no total', () => {
    expect(read(stream(usageChunk(1203, 5, { cache_read_input_tokens: 1000 }))).merged).toEqual({
      inputTokens: 1203,
      cachedInputTokens: 1000,
      outputTokens: 5,
    });
  });

  it('takes nothing away when the total is too small', () => {
    expect(read(stream(usageChunk(7, 10, { total_tokens: 3 }))).merged.outputTokens).toBe(10);
  });

  it.each([
    ['a string', '12'],
    ['a negative number', -1],
    ['a fraction', 1.5],
    ['a number beyond 2^53', 1e300],
    ['a list', [1]],
    ['true', true],
  ])('does not take %s for a count, and says so once', (_name, bad) => {
    const chunk = { ...usageChunk(7, 2), usage: { prompt_tokens: 7, completion_tokens: bad, total_tokens: bad } };
    const log = read(stream(chunk, chunk));
    expect([log.merged, log.degradations]).toEqual([{ inputTokens: 7 }, ['bad_usage']]);
  });

  it('is bad when it is no object, and just absent when it is null or empty', () => {
    expect(read(stream(content('a', { usage: 'none' }))).degradations).toEqual(['bad_usage']);
    const silent = read(
      stream(
        content('a', { usage: null }),
        content('b', { usage: {} }),
        content('c', { usage: { prompt_tokens: null } }),
      ),
    );
    expect([silent.of('usage'), silent.degradations]).toEqual([[], []]);
  });
});

describe('the upstream’s last word', () => {
  it.each([
    ['a chunk of its own', [content('a'), finish(), usageChunk(7, 2)]],
    ['a chunk without choices', [content('a'), { usage: { prompt_tokens: 7, completion_tokens: 2 } }]],
    ['the finish chunk', [content('a'), finish('stop', usage(7, 2))]],
    ['a chunk after the finish (LiteLLM)', [content('a'), finish(), delta({}, usage(7, 2))]],
    [
      'usage inside the last choice (Moonshot)',
      [content('a'), { choices: [{ index: 0, delta: {}, finish_reason: 'stop', ...usage(7, 2) }] }],
    ],
  ])('is %s', (_name, chunks) => {
    const log = read(stream(...chunks));
    expect([log.merged, finality(log)]).toEqual([{ inputTokens: 7, outputTokens: 2 }, [true]]);
  });

  it('is the usage of a body', () => {
    const body = JSON.stringify({
      choices: [{ message: { content: 'a' } }, { message: { content: 'b' } }],
      ...usage(7, 2),
    });
    const { log } = readAnswer(openaiChat, [Buffer.from(body)], {
      head: headOf('application/json'),
    });
    expect([log.merged, finality(log)]).toEqual([{ inputTokens: 7, outputTokens: 2 }, [true]]);
  });

  it('is the usage of a body whose choice does not say that it ended', () => {
    const body = JSON.stringify({ choices: [{ message: { content: 'a' } }], ...usage(7, 2) });
    const head = headOf('application/json');
    expect(readAnswer(openaiChat, [Buffer.from(body)], { head }).log.hasFinalUsage).toBe(true);
  });

  it('is the usage of a chunk that ends all choices at once', () => {
    const choices = [0, 1].map((index) => ({ index, delta: { content: 'a' }, finish_reason: 'stop' }));
    const log = read(cutStream({ choices, ...usage(7, 2) }));
    expect([log.merged, finality(log), log.of('choiceTokens')]).toEqual([
      { inputTokens: 7, outputTokens: 2 },
      [true],
      [],
    ]);
  });

  it('is not a count in the middle of a stream', () => {
    expect(finality(read(stream(content('a', usage(7, 1)), content('b', usage(7, 2)))))).toEqual([false, false]);
  });

  it('is not the finish of one choice while another goes on', () => {
    const log = read(cutStream(content('a'), content('b', {}, 1), finish('stop', usage(7, 2))));
    expect(finality(log)).toEqual([false]);
  });
});

describe('usage of several choices', () => {
  const interleaved = [
    content('a', usage(5, 1)),
    content('b', usage(5, 2), 1),
    content('c', usage(5, 3)),
    content('d', usage(5, 4), 1),
  ];

  it('adds up over choices, never over the snapshots of one (vLLM, B25)', () => {
    const log = read(cutStream(...interleaved));
    expect(log.of('usage').map((fact) => fact.snapshot.outputTokens)).toEqual([1, 3, 5, 7]);
    expect([log.merged, log.hasFinalUsage]).toEqual([{ inputTokens: 5, outputTokens: 7 }, false]);
  });

  it('never falls when a choice counts backwards', () => {
    const log = read(cutStream(...interleaved, content('e', usage(5, 1))));
    expect(log.of('usage').at(-1)?.snapshot.outputTokens).toBe(7);
  });

  it('leaves out zero-filled usage inside a choice', () => {
    const choice = { index: 0, delta: { content: 'a' }, ...usage(0, 0) };
    expect(read(cutStream({ choices: [choice] })).of('usage')).toEqual([]);
  });

  it('tells each choice’s own count, also that of the first, which was alone at first', () => {
    const told = read(cutStream(...interleaved))
      .of('choiceTokens')
      .map((fact) => [fact.choice, fact.outputTokens]);
    expect(told).toEqual([
      [0, 1],
      [1, 2],
      [0, 3],
      [1, 4],
    ]);
  });

  it('knows no choice’s own count when only one choice or the whole is counted', () => {
    const chunks = [content('a'), content('b', {}, 1), finish(), finish('stop', usage(5, 8), 1)];
    for (const log of [read(stream(...chunks)), read(stream(role(), role(1), usageChunk(5, 8)))]) {
      expect([log.merged.outputTokens, log.of('choiceTokens')]).toEqual([8, []]);
    }
  });

  it('does not exceed the total that ends the stream', () => {
    const chunks = [...interleaved, finish('stop', usage(5, 3)), finish('stop', usage(5, 4), 1), usageChunk(5, 7)];
    expect(read(stream(...chunks)).merged).toEqual({ inputTokens: 5, outputTokens: 7 });
  });

  it('is what the total at the end says, also where the choices counted all of it each', () => {
    const whole = [1, 2, 3, 4].map((tokens) => content('a', usage(5, tokens), tokens % 2));
    const chunks = [...whole, finish('stop', usage(5, 4)), finish('stop', usage(5, 4), 1)];
    const details = { completion_tokens_details: { reasoning_tokens: 1 } };
    expect(read(stream(...chunks, usageChunk(5, 4, details))).merged).toEqual({
      inputTokens: 5,
      outputTokens: 4,
      reasoningTokens: 1,
    });
  });

  const ended = (...tokens: number[]) => tokens.map((count, index) => finish('stop', usage(5, count), index));

  it('is that of the request where every choice ends with the same, and none showed that it counts its own', () => {
    const running = [1, 2, 3, 4].map((tokens) => content('a', usage(5, tokens), (tokens - 1) % 2));
    for (const chunks of [
      [...running, ...ended(4, 4)],
      [content('a'), content('b', {}, 1), ...ended(4, 4)],
    ]) {
      const log = read(stream(...chunks));
      expect([log.merged, log.hasFinalUsage]).toEqual([{ inputTokens: 5, outputTokens: 4 }, true]);
    }
  });

  it('is that of the request where it grew with every chunk, whosever it was (xAI)', () => {
    const running = Array.from({ length: 30 }, (_, at) => content('a', usage(5, at + 1), at % 2));
    expect(read(cutStream(...running)).merged.outputTokens).toBe(30);
    expect(read(stream(...running, ...ended(29, 30))).merged.outputTokens).toBe(30);
  });

  it.each([
    ['they stand still together', [content('a', usage(5, 1)), content('b', usage(5, 1), 1), ...ended(2, 2)], 4],
    ['one falls behind the other', [content('a', usage(5, 3)), content('b', usage(5, 1), 1), ...ended(3, 3)], 6],
    ['the engine does so (vLLM)', [...ended(9, 9).map((chunk) => engine(chunk, 'stop_reason'))], 18],
    ['the engine does so (SGLang)', [...ended(3, 9).map((chunk) => engine(chunk, 'matched_stop'))], 12],
    ['they have prompts of their own', [finish('stop', usage(5, 9)), finish('stop', usage(6, 9), 1)], 18],
  ])('adds up where choices count their own: %s', (_what, chunks, total) => {
    const log = read(stream(...chunks));
    expect([log.merged.outputTokens, log.hasFinalUsage]).toEqual([total, true]);
  });

  it.each([
    ['which may be both', ended(3, 9)],
    ['and all were cut at one length', [0, 1].map((index) => finish('length', usage(5, 9), index))],
  ])('is no report where it cannot be told what was counted, %s', (_what, chunks) => {
    const log = read(stream(content('a'), content('b', {}, 1), ...chunks));
    expect([log.merged, log.hasFinalUsage]).toEqual([{ inputTokens: 5, outputTokens: 9 }, false]);
  });

  it('is not what a total said before the choices went on', () => {
    expect(read(stream(usageChunk(5, 1), ...interleaved)).merged.outputTokens).toBe(7);
  });

  it('adds up the prompts too, where each completion has its own (TGI)', () => {
    const chunks = [text('a'), text('b', {}, 1), lastText('c', usage(6, 10), 0), lastText('d', usage(5, 10), 1)];
    expect(read(stream(...chunks), openaiCompletions).merged).toEqual({ inputTokens: 11, outputTokens: 20 });
    expect(read(cutStream(...chunks), openaiCompletions).hasFinalUsage).toBe(true);
  });

  it('is not the last word while a completion is still running', () => {
    const chunks = [
      text('a'),
      text('b', {}, 1),
      text('c', {}, 2),
      lastText('', usage(6, 10)),
      lastText('', usage(5, 10), 1),
    ];
    const log = read(cutStream(...chunks), openaiCompletions);
    expect([log.merged.outputTokens, log.hasFinalUsage]).toEqual([20, false]);
  });

  it('counts a shared prompt once: while the choices are counted as they run, or a total ends them', () => {
    const running = [
      text('a', usage(6, 1)),
      text('b', usage(6, 1), 1),
      lastText('', usage(6, 1), 0),
      lastText('', usage(6, 1), 1),
    ];
    expect(read(cutStream(...running), openaiCompletions).merged).toEqual({ inputTokens: 6, outputTokens: 2 });
    const total = [lastText('a', usage(6, 1), 0), lastText('b', usage(6, 1), 1), { choices: [], ...usage(6, 2) }];
    expect(read(stream(...total), openaiCompletions).merged).toEqual({ inputTokens: 6, outputTokens: 2 });
  });
});

describe('llama.cpp’s timings', () => {
  it('run with every chunk where that was asked for, and end as the last word', () => {
    const so = (tokens: number) => ({ timings: { cache_n: 0, prompt_n: 7, predicted_n: tokens } });
    const running = read(cutStream(content('a', so(5)), content('b', so(10))));
    expect([running.merged, running.hasFinalUsage]).toEqual([
      { inputTokens: 7, cachedInputTokens: 0, outputTokens: 10 },
      false,
    ]);
    const ended = read(stream(content('a', so(5)), content('b', so(10)), finish('stop', so(15))));
    expect([ended.merged.outputTokens, ended.hasFinalUsage]).toEqual([15, true]);
  });

  const timings = { timings: { cache_n: 236, prompt_n: 1, predicted_n: 35 } };

  it('are the usage where there is none', () => {
    const log = read(stream(content('a'), finish('stop', timings)));
    expect(log.of('usage')).toEqual([
      { kind: 'usage', snapshot: { inputTokens: 237, cachedInputTokens: 236, outputTokens: 35 }, final: true },
    ]);
  });

  it('do not give the input when they leave out the cached part', () => {
    expect(read(stream(finish('stop', { timings: { prompt_n: 1, predicted_n: 35 } }))).merged).toEqual({
      outputTokens: 35,
    });
  });

  it('are running counts on every chunk', () => {
    const log = read(cutStream(content('a', { timings: { prompt_n: 5, cache_n: 0, predicted_n: 1 } })));
    expect([log.merged.outputTokens, log.hasFinalUsage]).toEqual([1, false]);
  });

  it('do not replace usage', () => {
    const log = read(
      stream(
        finish('stop', usage(237, 35)),
        finish('stop', { timings: { cache_n: 0, prompt_n: 999, predicted_n: 99 } }),
      ),
    );
    expect(log.merged).toEqual({ inputTokens: 237, outputTokens: 35 });
  });
});
