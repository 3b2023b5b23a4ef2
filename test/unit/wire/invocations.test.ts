import { describe, expect, it } from 'vitest';
import { anthropicRawPredict, invocations } from '../../../src/wire/dialects/invocations.ts';
import type { Api, Dialect } from '../../../src/wire/facts.ts';
import { endpointOf } from '../../../src/wire/registry.ts';
import { events } from '../../helpers/anthropic-events.ts';
import { EVENT_STREAM, FactLog, JSON_BODY } from '../../helpers/fact-log.ts';
import { content, cutStream, finish, lastText, role, stream, text, usageChunk } from '../../helpers/openai-chunks.ts';
import { dialectLaws } from './laws.ts';

const CHAT = stream(role(), content('Hello'), finish(), usageChunk(7, 2));
const TEXT = stream(text('Hello'), lastText(''), usageChunk(7, 2));
const TGI = '[{"generated_text":"Hello"}]';
const CLAUDE_EVENTS = [
  { type: 'message_start', message: { model: 'claude', usage: { input_tokens: 7, output_tokens: 1 } } },
  { type: 'ping' },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
];
const CLAUDE = events(...CLAUDE_EVENTS);
const CLAUDE_BODY = JSON.stringify({
  type: 'message',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 7, output_tokens: 2 },
});
const RESPONSE = events(
  { type: 'response.output_text.delta', delta: 'Hello' },
  { type: 'response.completed', response: { usage: { input_tokens: 7, output_tokens: 2, total_tokens: 9 } } },
);

function readAs(dialect: Dialect, body: string, { head = EVENT_STREAM, whole = true } = {}) {
  const log = new FactLog();
  const opened = dialect.open(head, log, 10_000);
  opened?.reader.push(Buffer.from(body));
  opened?.reader.end(whole);
  return { log, api: opened?.api, complete: opened?.reader.complete };
}

describe('the laws of a dialect, for …/invocations', () => {
  dialectLaws(invocations, {
    answers: [
      { name: 'chat', head: EVENT_STREAM, body: CHAT },
      { name: 'text', head: EVENT_STREAM, body: TEXT },
      { name: 'TGI', head: JSON_BODY, body: TGI },
      { name: 'Claude', head: EVENT_STREAM, body: CLAUDE },
      { name: 'a response', head: EVENT_STREAM, body: RESPONSE },
    ],
    withoutOutput: [
      { name: 'role and finish', head: EVENT_STREAM, body: stream(role(), finish()) },
      { name: 'vectors', head: JSON_BODY, body: '{"data":[{"embedding":[0.1]}],"usage":{"prompt_tokens":3}}' },
    ],
  });
});

describe('an invocation', () => {
  it.each([
    [EVENT_STREAM, CHAT, 'openai.chat'],
    [EVENT_STREAM, TEXT, 'openai.completions'],
    [JSON_BODY, TGI, 'tgi.generate'],
    [EVENT_STREAM, CLAUDE, 'anthropic.messages'],
    [JSON_BODY, CLAUDE_BODY, 'anthropic.messages'],
    [EVENT_STREAM, RESPONSE, 'openai.responses'],
    [EVENT_STREAM, stream({ choices: [] }, { type: 'ping' }) + CHAT, 'openai.chat'],
  ])('is read by the shape of its answer', (head, body, api) => {
    for (const dialect of [invocations, anthropicRawPredict]) {
      const answer = readAs(dialect, body, { head });
      expect([answer.log.text(), answer.api, answer.complete]).toEqual(['Hello', api, true]);
      if (api !== 'tgi.generate') expect(answer.log.merged).toEqual({ inputTokens: 7, outputTokens: 2 });
    }
  });

  it('may ask for vectors, whose input counts', () => {
    const answer = readAs(invocations, '{"data":[{"embedding":[0.1]}],"usage":{"prompt_tokens":3}}', {
      head: JSON_BODY,
    });
    expect([answer.log.merged, answer.api, answer.complete]).toEqual([{ inputTokens: 3 }, 'openai.embeddings', true]);
  });

  it('of a model of another kind ends with its body', () => {
    const other = cutStream({ prediction: 'Hello' });
    expect(readAs(invocations, other)).toMatchObject({ api: 'other', complete: true });
    expect(readAs(invocations, other, { whole: false }).complete).toBe(false);
    expect(readAs(invocations, cutStream({ error: { message: 'x' } }))).toMatchObject({ api: null, complete: false });
  });

  it.each([
    ['/invocations', null],
    ['/serving-endpoints/dbrx/invocations', 'dbrx'],
    ['/endpoints/mine/invocations', null],
  ])('is POST %s', (path, modelFromPath) => {
    expect(endpointOf('POST', path)).toMatchObject({ api: 'openai.chat', generation: true, modelFromPath });
  });
});

describe('a partner’s model on Vertex', () => {
  it.each<[string, string, Api]>([
    ['anthropic', 'claude-3-5-haiku@20241022', 'anthropic.messages'],
    ['mistralai', 'mistral-large-2411', 'openai.chat'],
    ['ai21', 'jamba-1.5-mini@001', 'openai.chat'],
  ])('of %s is named by the path, which streams by its verb', (publisher, model, api) => {
    const path = (verb: string) => `/v1/projects/p/locations/l/publishers/${publisher}/models/${model}:${verb}`;
    for (const [verb, streamsByDefault] of [
      ['rawPredict', false],
      ['streamRawPredict', true],
    ] as const) {
      const endpoint = endpointOf('POST', path(verb));
      expect(endpoint).toMatchObject({ api, generation: true, modelFromPath: model, streamsByDefault });
    }
    expect(endpointOf('POST', path('predict')).api).toBe('other');
  });
});
