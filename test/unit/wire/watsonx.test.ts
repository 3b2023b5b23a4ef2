import { describe, expect, it } from 'vitest';
import { watsonx } from '../../../src/wire/dialects/watsonx.ts';
import { endpointOf } from '../../../src/wire/registry.ts';
import { EVENT_STREAM, headOf, JSON_BODY, type ReadAnswer, readAnswer } from '../../helpers/fact-log.ts';
import { content, cutStream, finish, role, usageChunk } from '../../helpers/openai-chunks.ts';
import { dialectLaws } from './laws.ts';

type Json = Record<string, unknown>;

const result = (text: string, output: number, { input = 0, reason = 'not_finished' } = {}): Json => ({
  model_id: 'google/flan-ul2',
  results: [{ generated_text: text, generated_token_count: output, input_token_count: input, stop_reason: reason }],
});
/** Watsonx numbers its events and names all of them `message`. */
const stream = (...messages: unknown[]): string =>
  messages.map((message, at) => `id: ${at + 1}\nevent: message\ndata: ${JSON.stringify(message)}\n\n`).join('');

const ANSWER = [result('', 0, { input: 8 }), result('Hel', 1), result('lo', 2), result('', 3, { reason: 'eos_token' })];
const CHAT = [role(), content('Hel'), content('lo'), finish(), usageChunk(7, 2)].map(({ model: _, ...chunk }) => ({
  ...chunk,
  model_id: 'ibm/granite',
}));

const read = (body: string, mediaType = 'text/event-stream'): ReadAnswer =>
  readAnswer(watsonx, [Buffer.from(body)], { head: headOf(mediaType) });

describe('the laws of a dialect, for watsonx', () => {
  dialectLaws(watsonx, {
    answers: [
      { name: 'generation', head: EVENT_STREAM, body: stream(...ANSWER) },
      {
        name: 'generation, one body',
        head: JSON_BODY,
        body: JSON.stringify(result('é🌍', 2, { input: 7, reason: 'max_tokens' })),
      },
      { name: 'chat', head: EVENT_STREAM, body: stream(...CHAT) },
    ],
    withoutOutput: [
      { name: 'generation, start and end', head: EVENT_STREAM, body: stream(ANSWER[0], ANSWER[3]) },
      {
        name: 'errors',
        head: JSON_BODY,
        body: '{"errors":[{"code":"x","message":"y"}],"trace":"t","status_code":500}',
      },
    ],
  });
});

describe('a generation', () => {
  it('has its text, its reason and its model', () => {
    const { log, complete, streamed } = read(stream(...ANSWER));
    expect([log.text(), complete, streamed]).toEqual(['Hello', true, true]);
    expect(log.of('choiceEnded')).toEqual([{ kind: 'choiceEnded', choice: 0, reason: 'eos_token' }]);
    expect(log.of('model')).toEqual([{ kind: 'model', name: 'google/flan-ul2' }]);
  });

  it('has a running output count, and an input that a later 0 does not take away', () => {
    const { log } = read(stream(...ANSWER));
    expect(log.of('usage').map(({ snapshot, final }) => [snapshot.outputTokens, final])).toEqual([
      [0, false],
      [1, false],
      [2, false],
      [3, true],
    ]);
    expect(log.merged).toEqual({ inputTokens: 8, outputTokens: 3 });
  });

  it('is not whole before its reason', () => {
    const { log, complete } = read(stream(...ANSWER.slice(0, -1)));
    expect([complete, log.hasFinalUsage, log.of('choiceEnded')]).toEqual([false, false, []]);
  });

  it('may be one body', () => {
    const { log, complete, streamed } = read(
      JSON.stringify(result('2', 2, { input: 7, reason: 'eos_token' })),
      'application/json',
    );
    expect([log.text(), log.merged, log.hasFinalUsage]).toEqual(['2', { inputTokens: 7, outputTokens: 2 }, true]);
    expect([complete, streamed]).toEqual([true, false]);
  });
});

describe('a chat', () => {
  it('has OpenAI’s shape, and a model name of its own', () => {
    const { log, complete } = read(stream(...CHAT));
    expect([log.text(), complete, log.merged]).toEqual(['Hello', true, { inputTokens: 7, outputTokens: 2 }]);
    expect(log.of('model')).toEqual([{ kind: 'model', name: 'ibm/granite' }]);
  });

  it('tells the name once where both keys hold it', () => {
    const { log } = read(cutStream(content('a', { model_id: 'ibm/granite', model: 'ibm/granite' }), finish()));
    expect(log.of('model').map(({ name }) => name)).toEqual(['ibm/granite']);
  });
});

describe('a failure', () => {
  it('is a list of errors, in an event of that name or not', () => {
    const errors = JSON.stringify({ errors: [{ code: 'x', message: 'y' }], trace: 't', status_code: 500 });
    for (const body of [`event: error\ndata: ${errors}\n\n`, `${stream(ANSWER[1])}data: ${errors}\n\n`]) {
      const { log, complete } = read(body);
      expect([log.of('failed').length > 0, complete]).toEqual([true, false]);
    }
  });
});

describe('the path', () => {
  it.each([
    ['/ml/v1/text/chat', false],
    ['/ml/v1/text/chat_stream', true],
    ['/ml/v1/text/generation', false],
    ['/ml/v1/text/generation_stream', true],
    ['/ml/v1-beta/generation/text', false],
    ['/ml/v1-beta/generation/text_stream', true],
  ])('%s asks for output', (path, streamsByDefault) => {
    const expected = { api: 'watsonx', generation: true, modelFromPath: null, streamsByDefault };
    expect(endpointOf('POST', path)).toMatchObject(expected);
  });

  it('names the deployment', () => {
    const path = '/ml/v1/deployments/abc/text/generation_stream';
    expect(endpointOf('POST', path)).toMatchObject({ api: 'watsonx', modelFromPath: 'abc' });
  });

  it.each(['/ml/v1/text/embeddings', '/ml/v1/text/tokenization'])('%s does not', (path) => {
    expect(endpointOf('POST', path).api).not.toBe('watsonx');
  });
});
