import { describe, expect, it } from 'vitest';
import { geminiGenerate } from '../../../src/wire/dialects/gemini-generate.ts';
import { endpointOf } from '../../../src/wire/registry.ts';
import { EVENT_STREAM, FactLog, JSON_BODY, type ReadAnswer, readAnswer } from '../../helpers/fact-log.ts';
import { cutStream } from '../../helpers/openai-chunks.ts';
import { dialectLaws } from './laws.ts';

type Json = Record<string, unknown>;

const chunk = (parts: Json[], usageMetadata: Json = {}, candidate: Json = {}): Json => ({
  candidates: [{ content: { parts, role: 'model' }, ...candidate }],
  usageMetadata,
  modelVersion: 'm',
});
const text = (value: string, usage: Json = {}, candidate: Json = {}): Json =>
  chunk([{ text: value }], usage, candidate);
const counts = (prompt: number, candidates: number, rest: Json = {}): Json => ({
  promptTokenCount: prompt,
  candidatesTokenCount: candidates,
  totalTokenCount: prompt + candidates,
  ...rest,
});
const STOP = { finishReason: 'STOP', index: 0 };

/** As Gemini writes its list. */
const list = (...messages: Json[]): string =>
  `[${messages.map((message) => JSON.stringify(message)).join('\n,\r\n')}\n]`;

const read = (...messages: Json[]): ReadAnswer => readAnswer(geminiGenerate, [Buffer.from(cutStream(...messages))]);
const readList = (...pieces: string[]): ReadAnswer =>
  readAnswer(
    geminiGenerate,
    pieces.map((piece) => Buffer.from(piece)),
    { head: JSON_BODY },
  );
const readBody = (body: Json): ReadAnswer => readList(JSON.stringify(body));

const PLAIN = [text('Hel', counts(7, 1)), text('lo', counts(7, 2)), text('', counts(7, 2), STOP)];
const BLOCKED = {
  promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
  usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 },
};

describe('the laws of a dialect, for gemini.generate', () => {
  const thinking = text('**Thinking**', { trafficType: 'ON_DEMAND' });
  dialectLaws(geminiGenerate, {
    answers: [
      { name: 'events', head: EVENT_STREAM, body: cutStream(...PLAIN).replaceAll('\n', '\r\n') },
      { name: 'a list', head: JSON_BODY, body: list(...PLAIN) },
      { name: 'a pretty list', head: JSON_BODY, body: JSON.stringify([thinking, ...PLAIN], null, 2) },
      { name: 'one body', head: JSON_BODY, body: JSON.stringify(text('Hello', counts(7, 2), STOP)) },
    ],
    withoutOutput: [
      { name: 'a blocked prompt', head: EVENT_STREAM, body: cutStream(BLOCKED) },
      { name: 'an empty end', head: JSON_BODY, body: list(text('', counts(7, 0), STOP)) },
      {
        name: 'what only the server did',
        head: EVENT_STREAM,
        body: cutStream(
          chunk([{ thoughtSignature: 'EpYS', toolCall: { toolType: 'FILE_SEARCH' } }]),
          chunk([{ toolResponse: { toolType: 'FILE_SEARCH' } }, { codeExecutionResult: { output: '1' } }]),
        ),
      },
    ],
  });
});

describe('output', () => {
  it.each([
    ['text', { text: 'x' }, 'content'],
    ['a summary of thoughts', { text: 'x', thought: true, thoughtSignature: 'EpYS' }, 'summary'],
    ['the name of a function', { functionCall: { name: 'x', args: {} } }, 'tool'],
    ['a piece of arguments', { functionCall: { partialArgs: [{ jsonPath: '$.a', stringValue: 'x' }] } }, 'tool'],
    ['code', { executableCode: { language: 'PYTHON', code: 'x' } }, 'tool'],
    ['sound', { inlineData: { mimeType: 'audio/pcm', data: 'x' } }, 'audio'],
  ])('is %s', (_name, part, channel) => {
    expect(read(chunk([part])).log.of('output')).toEqual([{ kind: 'output', choice: 0, channel, text: 'x' }]);
  });

  it('of a function is its arguments too', () => {
    const call = { functionCall: { name: 'get', args: { city: 'Oslo' } } };
    expect(read(chunk([call])).log.text('tool')).toBe('get{"city":"Oslo"}');
  });

  it('is told per candidate', () => {
    const candidates = [0, 1].map((index) => ({ index, content: { parts: [{ text: `${index}` }] } }));
    const { log } = read({ candidates });
    expect([log.text('content', 0), log.text('content', 1)]).toEqual(['0', '1']);
  });
});

describe('usage', () => {
  it('B08: of every chunk is cumulative, and no sum', () => {
    const { log } = read(...[2, 5, 9].map((tokens) => text('x', counts(7, tokens))));
    expect([log.merged, log.hasFinalUsage]).toEqual([{ inputTokens: 7, outputTokens: 9 }, false]);
  });

  it('B14: has thoughts outside the candidates, and inside the output', () => {
    const usage = { promptTokenCount: 41, candidatesTokenCount: 5, thoughtsTokenCount: 343, totalTokenCount: 389 };
    const { log } = read(text('x', usage, STOP));
    expect([log.merged, log.hasFinalUsage]).toEqual([
      { inputTokens: 41, outputTokens: 348, reasoningTokens: 343 },
      true,
    ]);
  });

  it('has prompts of tools outside the prompt, and inside the input', () => {
    const usage = { ...counts(427, 122), toolUsePromptTokenCount: 771, thoughtsTokenCount: 447, totalTokenCount: 1767 };
    expect(read(text('x', usage, STOP)).log.merged).toEqual({
      inputTokens: 1198,
      outputTokens: 569,
      reasoningTokens: 447,
    });
  });

  it('that lacks the candidates is told by the total', () => {
    const usage = { promptTokenCount: 10, thoughtsTokenCount: 20, totalTokenCount: 35 };
    expect(read(text('x', usage, STOP)).log.merged.outputTokens).toBe(25);
  });

  it('has what was cached inside the prompt', () => {
    const usage = { ...counts(568, 5), cachedContentTokenCount: 217 };
    expect(readBody(text('x', usage, STOP)).log.merged).toEqual({
      inputTokens: 568,
      cachedInputTokens: 217,
      outputTokens: 5,
    });
  });

  it('that only names the traffic says nothing (Vertex)', () => {
    expect(read(text('x', { trafficType: 'ON_DEMAND' })).log.of('usage')).toEqual([]);
  });

  it('of a blocked prompt has no output', () => {
    const { log, complete } = read(BLOCKED);
    expect([log.merged, log.hasFinalUsage, complete]).toEqual([{ inputTokens: 7, outputTokens: 0 }, true, true]);
    expect(log.of('choiceEnded')[0]?.reason).toBe('PROHIBITED_CONTENT');
  });

  it('B46: that is cut in its name is read all the same', () => {
    const [before, after] = list(...PLAIN).split(/(?<=usageMe)(?=tadata)/, 2) as [string, string];
    const whole = readList(list(...PLAIN));
    const rest = list(...PLAIN).slice(before.length);
    expect(after).not.toBe('');
    expect(readList(before, rest).log.facts).toEqual(whole.log.facts);
  });
});

describe('a streamed list', () => {
  it('is metered as it comes, and is streamed', () => {
    const log = new FactLog();
    const opened = geminiGenerate.open(JSON_BODY, log, 10_000);
    const [first, ...rest] = list(...PLAIN).split(/(?<=\n),/);
    opened?.reader.push(Buffer.from(first ?? ''));
    expect([log.text(), log.merged.outputTokens, opened?.streamed, opened?.reader.complete]).toEqual([
      'Hel',
      1,
      true,
      false,
    ]);
    opened?.reader.push(Buffer.from(`,${rest.join(',')}`));
    expect([log.text(), opened?.reader.complete]).toEqual(['Hello', true]);
  });

  it('says the same as events do', () => {
    expect(readList(list(...PLAIN)).log.facts).toEqual(read(...PLAIN).log.facts);
  });

  it('ends with its bracket, or with a reason for every candidate', () => {
    expect(readList(list(text('x'))).complete).toBe(true);
    expect(readList(list(text('x')).slice(0, -1)).complete).toBe(false);
    expect(readList(list(text('x', {}, STOP)).slice(0, -1)).complete).toBe(true);
  });

  it('B49: that ends in an error has failed', () => {
    const error = { error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } };
    for (const answer of [readList(list(error)), readList(list(text('x'), error)), read(text('x'), error)]) {
      expect(answer.log.of('failed')).toHaveLength(1);
    }
  });

  it('with an element that is too large goes on behind it', () => {
    const image = chunk([{ inlineData: { mimeType: 'image/png', data: 'x'.repeat(2000) } }]);
    const { log, complete } = readAnswer(geminiGenerate, [Buffer.from(list(image, ...PLAIN))], {
      head: JSON_BODY,
      eventBytes: 1000,
    });
    expect([log.degradations, log.text(), complete]).toEqual([['event_too_large'], 'Hello', true]);
  });
});

describe('the endpoint', () => {
  it.each([
    ['/v1beta/models/gemini-2.5-flash:generateContent', 'gemini-2.5-flash', false],
    ['/v1beta/models/gemini-2.5-flash:streamGenerateContent', 'gemini-2.5-flash', true],
    [
      '/v1/projects/p/locations/l/publishers/google/models/gemini-3-flash:streamGenerateContent',
      'gemini-3-flash',
      true,
    ],
    ['/v1beta/tunedModels/a%20b:generateContent', 'a b', false],
  ])('%s names its model', (path, modelFromPath, streamsByDefault) => {
    const expected = { api: 'gemini.generate', generation: true, modelFromPath, streamsByDefault };
    expect(endpointOf('POST', path)).toMatchObject(expected);
  });

  it.each([
    '/v1beta/models/gemini-2.5-flash:countTokens',
    '/v1beta/models/e:embedContent',
    '/v1beta/models/:generateContent',
    '/v1beta/models/m:generateContent/operations',
  ])('is not %s', (path) => {
    expect(endpointOf('POST', path).api).toBe('other');
  });
});
