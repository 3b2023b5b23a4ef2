import { describe, expect, it } from 'vitest';
import { openaiChat } from '../../../src/wire/dialects/openai-chat.ts';
import { openaiCompletions } from '../../../src/wire/dialects/openai-completions.ts';
import { EVENT_STREAM, headOf, JSON_BODY, type ReadAnswer, readAnswer } from '../../helpers/fact-log.ts';
import {
  content,
  cutStream,
  delta,
  finish,
  lastText,
  role,
  stream,
  usage,
  usageChunk,
} from '../../helpers/openai-chunks.ts';
import { dialectLaws } from './laws.ts';

const read = (body: string, mediaType = 'text/event-stream', whole = true): ReadAnswer =>
  readAnswer(openaiChat, [Buffer.from(body)], { head: headOf(mediaType), whole });

const readBody = (body: unknown): ReadAnswer => read(JSON.stringify(body), 'application/json');

const PLAIN = stream(role(), content('Hel'), content('lo'), finish(), usageChunk(7, 2));
const TOOLS = stream(
  role(),
  delta({ tool_calls: [{ index: 0, id: 'c', function: { name: 'get_weather', arguments: '' } }] }),
  delta({ tool_calls: [{ index: 0, function: { arguments: '{"city":"Oslo"}' } }] }),
  finish('tool_calls', usage(9, 5, { completion_tokens_details: { reasoning_tokens: 1 }, total_tokens: 14 })),
);
const SEVERAL = stream(
  role(),
  role(1),
  content('a', usage(3, 1)),
  content('b', usage(3, 1), 1),
  finish(),
  finish('length', {}, 1),
);
const BODY = JSON.stringify({
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello', reasoning: 'hm' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9, prompt_tokens_details: { cached_tokens: 4 } },
});

describe('the laws of a dialect, for openai.chat', () => {
  dialectLaws(openaiChat, {
    answers: [
      { name: 'plain', head: EVENT_STREAM, body: PLAIN },
      { name: 'tools', head: EVENT_STREAM, body: TOOLS },
      { name: 'several choices', head: EVENT_STREAM, body: SEVERAL },
      { name: 'CRLF and comments', head: EVENT_STREAM, body: `: wait\n\n${PLAIN}`.replaceAll('\n', '\r\n') },
      {
        name: 'timings',
        head: EVENT_STREAM,
        body: stream(content('é🌍', { timings: { cache_n: 1, prompt_n: 2, predicted_n: 1, prompt_ms: 3 } })),
      },
      { name: 'one body', head: JSON_BODY, body: BODY },
      { name: 'an event stream called JSON', head: JSON_BODY, body: PLAIN },
    ],
    withoutOutput: [
      { name: 'role and finish', head: EVENT_STREAM, body: stream(role(), finish(), usageChunk(7, 0)) },
      {
        name: 'prompt filter',
        head: EVENT_STREAM,
        body: stream({ choices: [], prompt_filter_results: [{}], model: '' }),
      },
      {
        name: 'progress',
        head: EVENT_STREAM,
        body: stream(delta({ role: 'assistant', content: null }, { prompt_progress: { total: 9 } })),
      },
    ],
  });
});

describe('output', () => {
  it.each([
    ['content', { content: 'x' }, 'content'],
    ['reasoning', { reasoning: 'x' }, 'reasoning'],
    ['reasoning_content', { reasoning_content: 'x', content: null }, 'reasoning'],
    ['reasoning_details', { content: '', reasoning_details: [{ type: 'reasoning.text', text: 'x' }] }, 'reasoning'],
    [
      'a summary in reasoning_details',
      { reasoning_details: [{ type: 'reasoning.summary', summary: 'x' }] },
      'reasoning',
    ],
    ['a refusal', { refusal: 'x' }, 'refusal'],
    ['the name of a tool', { tool_calls: [{ index: 0, function: { name: 'x', arguments: '' } }] }, 'tool'],
    ['the arguments of a tool', { tool_calls: [{ index: 0, function: { arguments: 'x' } }] }, 'tool'],
    ['an old function call', { function_call: { name: 'x', arguments: '' } }, 'tool'],
    ['an audio transcript', { audio: { id: 'a', transcript: 'x' } }, 'audio'],
    ['audio', { audio: { data: 'x' } }, 'audio'],
    ['a list of text parts', { content: [{ type: 'text', text: 'x' }] }, 'content'],
    [
      'a list of thinking parts',
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'x' }] }] },
      'reasoning',
    ],
  ])('is %s', (_name, payload, channel) => {
    expect(read(stream(delta(payload))).log.of('output')).toEqual([{ kind: 'output', choice: 0, channel, text: 'x' }]);
  });

  it.each([
    ['a role', { role: 'assistant', content: '' }],
    ['null content', { role: 'assistant', content: null, refusal: null, tool_calls: null }],
    ['an empty delta', {}],
    ['encrypted reasoning', { reasoning_details: [{ type: 'reasoning.encrypted', data: 'B7oH6rUO9kQ' }] }],
    ['obfuscation', { content: '', obfuscation: 'xyz' }],
    ['citations', { content: '', annotations: [{ url: 'x' }] }],
    ['what the server ran itself', { executed_tools: [{ output: 'x' }] }],
  ])('is not %s', (_name, payload) => {
    expect(read(stream(delta(payload))).log.of('output')).toEqual([]);
  });

  it('is the name and the input of a custom tool', () => {
    const call = (custom: object) => delta({ tool_calls: [{ index: 0, type: 'custom', custom }] });
    const { log } = read(stream(call({ name: 'code', input: '' }), call({ input: 'print(1)' })));
    expect(log.of('output').map(({ channel, text }) => [channel, text])).toEqual([
      ['tool', 'code'],
      ['tool', 'print(1)'],
    ]);
    const message = { content: null, tool_calls: [{ type: 'custom', custom: { name: 'code', input: 'print(1)' } }] };
    expect(readBody({ choices: [{ message }] }).log.text('tool')).toBe('codeprint(1)');
  });

  it('is told per choice', () => {
    const { log } = read(SEVERAL);
    expect([log.text('content', 0), log.text('content', 1)]).toEqual(['a', 'b']);
  });

  it('is told once where `message` repeats what `delta` brings', () => {
    const choice = (delta: string, message: string) => ({
      choices: [{ index: 0, delta: { content: delta }, message: { content: message } }],
    });
    expect(read(stream(choice('1', '1'), choice('2', '12'))).log.text()).toBe('12');
  });

  it('folds absurd choice numbers into one, so that nothing grows without bound', () => {
    const { log } = read(stream(content('a', {}, 10 ** 9), content('b', {}, 2 ** 40)));
    expect(new Set(log.of('output').map((fact) => fact.choice)).size).toBe(1);
  });

  it('stands in the message of an answer that was not streamed', () => {
    const { log, streamed } = read(BODY, 'application/json');
    expect([log.text('reasoning'), log.text('content'), streamed]).toEqual(['hm', 'Hello', false]);
  });
});

describe('the end', () => {
  it('is [DONE]', () => {
    expect(read(stream(role(), content('a'))).complete).toBe(true);
    expect(read(cutStream(role(), content('a'))).complete).toBe(false);
  });

  it('is a finish reason for every choice that was seen', () => {
    expect(read(cutStream(content('a'), finish())).complete).toBe(true);
    expect(read(cutStream(content('a'), content('b', {}, 1), finish())).complete).toBe(false);
    expect(read(cutStream(content('a'), content('b', {}, 1), finish('length', {}, 1), finish())).complete).toBe(true);
  });

  it('is not an empty finish reason (TGI)', () => {
    expect(read(cutStream(content('a'), finish(''))).complete).toBe(false);
  });

  it('is not an empty stream', () => {
    expect(read('').complete).toBe(false);
    expect(read(cutStream(usageChunk(1, 1))).complete).toBe(false);
  });

  it('is told once per choice with its reason, though a server repeats it', () => {
    const { log } = read(stream(finish('stop'), finish('stop')));
    expect(log.of('choiceEnded')).toEqual([{ kind: 'choiceEnded', choice: 0, reason: 'stop' }]);
  });

  it('of a body is its last brace', () => {
    expect(read(BODY, 'application/json').complete).toBe(true);
    const cut = read(BODY.slice(0, -1), 'application/json', false);
    expect([cut.complete, cut.log.facts]).toEqual([false, []]);
  });
});

describe('the choices that were asked for', () => {
  const asking = (body: string, choices: number, whole = true) =>
    readAnswer(openaiChat, [Buffer.from(body)], { head: { ...EVENT_STREAM, asked: { choices, prompts: 1 } }, whole });
  const first = [content('a'), finish('stop', usage(5, 3))];

  it('are awaited: one that has not begun has not ended', () => {
    expect(asking(cutStream(...first), 2).complete).toBe(false);
    expect(asking(cutStream(...first), 2).log.hasFinalUsage).toBe(false);
    expect(asking(cutStream(...first, content('b', {}, 1), finish('stop', {}, 1)), 2).complete).toBe(true);
    expect(asking(cutStream(...first), 1).complete).toBe(true);
  });

  it('need not come where the answer says that it is whole', () => {
    const { log, complete } = asking(stream(...first), 2);
    expect([complete, log.merged, log.hasFinalUsage]).toEqual([true, { inputTokens: 5, outputTokens: 3 }, true]);
    const unasked = asking(stream(content('a', usage(5, 1))), 2);
    expect([unasked.complete, unasked.log.hasFinalUsage]).toEqual([true, false]);
  });

  it('of a completion are so many for each prompt', () => {
    const asked = { choices: 2, prompts: 2 };
    const ended = (count: number) =>
      cutStream(...Array.from({ length: count }, (_, index) => lastText('a', {}, index)));
    const isWhole = (count: number) =>
      readAnswer(openaiCompletions, [Buffer.from(ended(count))], { head: { ...EVENT_STREAM, asked } }).complete;
    expect([1, 2, 3, 4].map(isWhole)).toEqual([false, false, false, true]);
  });
});

describe('an error', () => {
  it.each([
    ['in a choice (OpenRouter)', { choices: [{ index: 0, error: { code: 502, message: 'x' }, message: {} }] }],
    ['that is all of the message (old vLLM)', { object: 'error', message: 'x', code: 400 }],
  ])('%s is a failure, in a body and in a stream', (_what, message) => {
    expect([readBody(message).log.of('failed').length, read(stream(message)).log.of('failed').length]).toEqual([1, 1]);
  });

  it.each([null, {}, '', { message: '' }])('in a choice that says nothing is none: %j', (error) => {
    expect(read(stream({ choices: [{ index: 0, delta: {}, error }] })).log.of('failed')).toEqual([]);
  });
});

describe('the shape', () => {
  it('is one body when blank lines come first, for minutes (DeepSeek)', () => {
    const { log, complete } = read(`${'\n'.repeat(400)}${BODY}`, 'application/json');
    expect([log.merged.outputTokens, complete]).toEqual([2, true]);
  });

  it('is an event stream although the header says JSON', () => {
    const { log, streamed } = read(PLAIN, 'application/json');
    expect([log.text(), log.merged.outputTokens, streamed]).toEqual(['Hello', 2, true]);
  });

  it('is one body although the header says event stream', () => {
    const { log, streamed, complete } = read(BODY);
    expect([log.text('content'), streamed, complete]).toEqual(['Hello', false, true]);
  });

  it('is nothing of ours when it is binary (B66)', () => {
    for (const mediaType of ['audio/mpeg', 'application/octet-stream', 'text/html', 'image/png']) {
      expect(openaiChat.open(headOf(mediaType), read('').log, 100)).toBeNull();
    }
  });

  it('that cannot be read is reported once', () => {
    expect(read('<html>', 'application/json').log.degradations).toEqual(['unparsed_event']);
    expect(read('[1,2]', 'application/json').log.degradations).toEqual(['unparsed_event']);
    expect(read('', 'application/json').log.degradations).toEqual([]);
  });

  it('that is too large is reported once', () => {
    const head = JSON_BODY;
    const pieces = [BODY.slice(0, 60), BODY.slice(60, 120), BODY.slice(120)].map((piece) => Buffer.from(piece));
    expect(readAnswer(openaiChat, pieces, { head, eventBytes: 100 }).log.facts).toEqual([
      { kind: 'degraded', reason: 'event_too_large' },
    ]);
    const events = readAnswer(openaiChat, [Buffer.from(stream(content('x'.repeat(300)), content('y')))], {
      eventBytes: 200,
    });
    expect([events.log.degradations, events.log.text(), events.complete]).toEqual([['event_too_large'], 'y', true]);
  });
});

describe('the model name', () => {
  it('is the first that is not empty', () => {
    const { log } = read(
      stream({ choices: [], model: '' }, content('a', { model: 'gpt' }), content('b', { model: 'other' })),
    );
    expect(log.of('model')).toEqual([{ kind: 'model', name: 'gpt' }]);
  });
});

describe('server timings', () => {
  it('are milliseconds from llama.cpp', () => {
    const { log } = read(
      stream(finish('stop', { timings: { prompt_ms: 12.5, predicted_ms: 480, prompt_n: 1, predicted_n: 9 } })),
    );
    expect(log.of('timings').map((fact) => fact.timings)).toEqual([
      { queue_ms: null, prefill_ms: 12.5, decode_ms: 480, total_ms: null },
    ]);
  });

  it('are seconds from Groq and Cerebras', () => {
    const seconds = { queue_time: 0.1, prompt_time: 0.2, completion_time: 0.3, total_time: 1.005 };
    const expected = [{ queue_ms: 100, prefill_ms: 200, decode_ms: 300, total_ms: 1005 }];
    const groq = read(
      stream(finish('stop', { x_groq: { usage: { prompt_tokens: 1, completion_tokens: 2, ...seconds } } })),
    );
    const cerebras = readBody({ choices: [], time_info: seconds, ...usage(1, 2) });
    expect(groq.log.of('timings').map((fact) => fact.timings)).toEqual(expected);
    expect(cerebras.log.of('timings').map((fact) => fact.timings)).toEqual(expected);
  });

  it('are seconds from Fireworks, in numbers or in texts, the parts of it where it tells them', () => {
    const timings = (perf_metrics: Record<string, unknown>) =>
      read(stream(content('a'), finish('stop', { perf_metrics })))
        .log.of('timings')
        .at(-1)?.timings;
    const common = { 'prompt-tokens': 7, 'server-time-to-first-token': 0.1, 'server-processing-time': '0.613' };
    expect(timings(common)).toEqual({ queue_ms: null, prefill_ms: 100, decode_ms: null, total_ms: 613 });
    const dedicated = { 'prefill-queue-duration': '0.02', 'prefill-duration': 0.07, 'generation-duration': 0.5 };
    expect(timings({ ...common, ...dedicated })).toEqual({
      queue_ms: 20,
      prefill_ms: 70,
      decode_ms: 500,
      total_ms: 613,
    });
    expect(timings({ 'server-processing-time': 'soon', deployment: 'x' })).toBeUndefined();
  });

  it('are milliseconds from vLLM, in a body and in the last chunk of a stream', () => {
    const metrics = {
      time_to_first_token_ms: 85.2,
      generation_time_ms: 1240.5,
      queue_time_ms: 12.3,
      mean_itl_ms: 9.1,
      tokens_per_second: 103.2,
    };
    const expected = [{ queue_ms: 12.3, prefill_ms: 85.2, decode_ms: 1240.5, total_ms: null }];
    const last = { ...usageChunk(7, 2), metrics };
    const streamed = read(stream(content('a'), finish(), last)).log.of('timings');
    const body = readBody({ choices: [{ message: { content: 'a' } }], ...usage(7, 2), metrics }).log.of('timings');
    for (const facts of [streamed, body]) expect(facts.map((fact) => fact.timings)).toEqual(expected);
    expect(read(stream({ ...last, metrics: { speculative_decoding: {} } })).log.of('timings')).toEqual([]);
  });

  it('are not told where nothing is said, or nonsense', () => {
    expect(read(PLAIN).log.of('timings')).toEqual([]);
    expect(read(stream(finish('stop', { timings: { prompt_ms: -1, predicted_ms: 'x' } }))).log.of('timings')).toEqual(
      [],
    );
  });
});

describe('an answer in one body', () => {
  const complete = (body: string) => readAnswer(openaiChat, [Buffer.from(body)], { head: JSON_BODY }).complete;

  it.each([
    ['{"choices":[{"index":0,"message":{"content":"hi"}}]}', true],
    ['{"choices":[{"index":0,"mess', false],
    ['', false],
    ['ok', true],
  ])('%s: read to its end: %s', (body, isComplete) => {
    expect(complete(body)).toBe(isComplete);
  });
});
