import { describe, expect, it } from 'vitest';
import { cohereChat } from '../../../src/wire/dialects/cohere-chat.ts';
import type { AnswerHead } from '../../../src/wire/facts.ts';
import { endpointOf } from '../../../src/wire/registry.ts';
import { events } from '../../helpers/anthropic-events.ts';
import { EVENT_STREAM, FactLog, headOf, JSON_BODY, type ReadAnswer, readAnswer } from '../../helpers/fact-log.ts';
import { content, finish, role, stream, usageChunk } from '../../helpers/openai-chunks.ts';
import { dialectLaws } from './laws.ts';

type Json = Record<string, unknown>;

const LINES: AnswerHead = headOf('application/stream+json');
const read = (body: string, head: AnswerHead = EVENT_STREAM): ReadAnswer =>
  readAnswer(cohereChat, [Buffer.from(body)], { head });
const readBody = (body: unknown): ReadAnswer => read(JSON.stringify(body), JSON_BODY);

const COUNTS = { billed_units: { input_tokens: 7, output_tokens: 2 }, tokens: { input_tokens: 69, output_tokens: 3 } };
const lines = (...messages: Json[]): string => messages.map((message) => `${JSON.stringify(message)}\n`).join('');

/** An event of the old API, and one of the new. */
const v1 = (type: string, rest: Json = {}): Json => ({ is_finished: type === 'stream-end', event_type: type, ...rest });
const v2 = (type: string, message: Json): Json => ({ type, delta: { message } });

const V1 = [
  v1('stream-start', { generation_id: 'g' }),
  v1('text-generation', { text: 'Hel' }),
  v1('text-generation', { text: 'lo' }),
  v1('stream-end', { finish_reason: 'COMPLETE', response: { text: 'Hello', meta: COUNTS } }),
];
const V1_TOOLS = [
  v1('tool-calls-chunk', { text: 'I will look' }),
  v1('tool-calls-chunk', { tool_call_delta: { index: 0, name: 'get' } }),
  v1('tool-calls-chunk', { tool_call_delta: { index: 0, parameters: '{"city":"Oslo"}' } }),
  v1('tool-calls-generation', { tool_calls: [{ name: 'get', parameters: { city: 'Oslo' } }] }),
  v1('stream-end', { finish_reason: 'COMPLETE', response: { meta: COUNTS } }),
];
const V2_END = { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: { ...COUNTS, cached_tokens: 60 } } };
const V2 = [
  { id: 'a', ...v2('message-start', { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] }) },
  v2('content-start', { content: { type: 'text', text: '' } }),
  v2('content-delta', { content: { text: 'Hel' } }),
  v2('content-delta', { content: { text: 'lo' } }),
  { type: 'content-end', index: 0 },
  V2_END,
];
const V2_TOOLS = [
  v2('content-delta', { content: { thinking: 'hm' } }),
  v2('tool-plan-delta', { tool_plan: 'I will look' }),
  v2('tool-call-start', { tool_calls: { id: 'c', type: 'function', function: { name: 'get', arguments: '' } } }),
  v2('tool-call-delta', { tool_calls: { function: { arguments: '{"city":"Oslo"}' } } }),
  v2('citation-start', { citations: { text: 'x' } }),
  { type: 'message-end', delta: { finish_reason: 'TOOL_CALL', usage: COUNTS } },
];
const V1_BODY = {
  response_id: 'r',
  text: 'é🌍',
  chat_history: [{ message: 'é🌍' }],
  finish_reason: 'COMPLETE',
  meta: COUNTS,
};
const V2_BODY = {
  id: 'a',
  message: {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'é🌍' },
    ],
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'get', arguments: '{"city":"Oslo"}' } }],
  },
  finish_reason: 'TOOL_CALL',
  usage: { ...COUNTS, tokens: { ...COUNTS.tokens, reasoning_tokens: 1 } },
};

describe('the laws of a dialect, for cohere.chat', () => {
  dialectLaws(cohereChat, {
    answers: [
      { name: 'v1 in lines', head: LINES, body: lines(...V1) },
      { name: 'v1 in lines called JSON', head: JSON_BODY, body: lines(...V1) },
      { name: 'v1 in events', head: EVENT_STREAM, body: events(...V1) },
      { name: 'v1 with tools', head: LINES, body: lines(...V1_TOOLS) },
      { name: 'v1, one body', head: JSON_BODY, body: JSON.stringify(V1_BODY) },
      { name: 'v2', head: EVENT_STREAM, body: `${events(...V2)}data: [DONE]\n\n` },
      { name: 'v2 with tools', head: EVENT_STREAM, body: events(...V2_TOOLS) },
      { name: 'v2, one body', head: JSON_BODY, body: JSON.stringify(V2_BODY) },
      { name: 'Writer', head: EVENT_STREAM, body: stream(role(), content('a'), finish(), usageChunk(7, 1)) },
    ],
    withoutOutput: [
      { name: 'v1, start and end', head: LINES, body: lines(...V1.slice(0, 1), ...V1.slice(-1)) },
      { name: 'v2, start and end', head: EVENT_STREAM, body: events(...V2.slice(0, 2), ...V2.slice(-2)) },
      {
        name: 'searches and citations',
        head: LINES,
        body: lines(
          v1('search-queries-generation', { search_queries: [{ text: 'x' }] }),
          v1('search-results', { documents: [{ text: 'x' }] }),
          v1('citation-generation', { citations: [{ text: 'x' }] }),
        ),
      },
    ],
  });
});

describe.each([
  ['v1 in lines', lines(...V1), LINES],
  ['v1 in lines that end in CRLF', lines(...V1).replaceAll('\n', '\r\n'), LINES],
  ['v1 in lines that the header calls JSON', lines(...V1), JSON_BODY],
  ['v1 in events', events(...V1), EVENT_STREAM],
  ['v1 in events that the header calls lines', events(...V1), LINES],
  ['v2', events(...V2), EVENT_STREAM],
])('a stream of %s', (_name, body, head) => {
  it('has its text once, its reason, and tokens, not billed units', () => {
    const { log, complete, streamed } = read(body, head);
    expect([log.text(), complete, streamed, log.degradations]).toEqual(['Hello', true, true, []]);
    expect(log.merged).toMatchObject({ inputTokens: 69, outputTokens: 3 });
    expect(log.hasFinalUsage).toBe(true);
    expect(log.of('choiceEnded')).toEqual([{ kind: 'choiceEnded', choice: 0, reason: 'COMPLETE' }]);
  });

  it('is not whole without its last event', () => {
    const cut = body.lastIndexOf('{', body.indexOf('COMPLETE') - 20);
    const { complete, log } = read(body.slice(0, cut), head);
    expect([complete, log.text()]).toEqual([false, 'Hello']);
  });
});

it('in lines called JSON is told line by line, a single one too', () => {
  const body = Buffer.from(lines(v1('text-generation', { text: 'Hel' })));
  const { log, complete, streamed } = readAnswer(cohereChat, [body], { head: JSON_BODY, whole: false });
  expect([log.text(), complete, streamed]).toEqual(['Hel', false, true]);
});

describe('the version', () => {
  it.each([{ type: 'ping' }, {}, { type: 'debug', prompt: 'x' }, { id: 'a' }])(
    'is told by the first event that can: not by %j',
    (first) => {
      const current = read(events({ type: 'ping', ...first }, ...V2));
      expect([current.log.text(), current.log.merged.outputTokens, current.complete]).toEqual(['Hello', 3, true]);
      const old = read(lines(first, ...V1), LINES);
      expect([old.log.text(), old.log.merged.outputTokens, old.complete]).toEqual(['Hello', 3, true]);
    },
  );
});

describe('tools', () => {
  it.each([
    ['v1', lines(...V1_TOOLS), LINES],
    ['v2', events(...V2_TOOLS), EVENT_STREAM],
  ])('of %s are output once, and the plan before them is reasoning', (_name, body, head) => {
    const { log } = read(body, head);
    expect(log.text('tool')).toBe('get{"city":"Oslo"}');
    expect(log.text('reasoning')).toContain('I will look');
    expect(log.text('content')).toBe('');
  });

  it('of v1 that come whole are output too', () => {
    const { log } = read(lines(...V1_TOOLS.slice(3)), LINES);
    expect(log.text('tool')).toBe('get{"city":"Oslo"}');
  });
});

describe('a body', () => {
  it('of v1 has its text and usage', () => {
    const { log, complete, streamed } = readBody(V1_BODY);
    expect([log.text(), complete, streamed]).toEqual(['é🌍', true, false]);
    expect(log.merged).toEqual({ inputTokens: 69, outputTokens: 3 });
  });

  it('of v2 has all its channels and usage', () => {
    const { log } = readBody(V2_BODY);
    expect([log.text('reasoning'), log.text('content'), log.text('tool')]).toEqual(['hm', 'é🌍', 'get{"city":"Oslo"}']);
    expect(log.merged).toEqual({ inputTokens: 69, outputTokens: 3, reasoningTokens: 1 });
  });
});

describe('usage', () => {
  it('has what came from the cache', () => {
    expect(read(events(V2_END)).log.merged).toEqual({ inputTokens: 69, outputTokens: 3, cachedInputTokens: 60 });
  });

  it('is not taken from billed units alone: they leave out what Cohere adds', () => {
    const usage = { billed_units: COUNTS.billed_units };
    expect(read(events({ type: 'message-end', delta: { finish_reason: 'COMPLETE', usage } })).log.of('usage')).toEqual(
      [],
    );
  });
});

describe('a failure', () => {
  it.each(['ERROR', 'ERROR_TOXIC', 'TIMEOUT'])('is the reason %s', (reason) => {
    const old = read(lines(...V1.slice(0, 2), v1('stream-end', { finish_reason: reason })), LINES);
    const current = read(events(...V2.slice(0, 3), { type: 'message-end', delta: { finish_reason: reason } }));
    for (const { log } of [old, current]) expect(log.of('failed')).toHaveLength(1);
  });

  it('is an error in a line under 200', () => {
    expect(read('{"error":"x"}\n', LINES).log.of('failed')).toHaveLength(1);
  });
});

describe('Writer', () => {
  it('answers in OpenAI’s shape under the same path, and the answer says whose it is', () => {
    const log = new FactLog();
    const opened = cohereChat.open(EVENT_STREAM, log, 1 << 20);
    expect(opened?.api).toBeNull();
    opened?.reader.push(Buffer.from(stream(role(), content('a'), finish(), usageChunk(7, 1))));
    opened?.reader.end(true);
    expect([opened?.api, opened?.reader.complete, log.text()]).toEqual(['openai.chat', true, 'a']);
    expect(log.merged).toEqual({ inputTokens: 7, outputTokens: 1 });
  });
});

describe('the path', () => {
  it.each(['/v1/chat', '/v2/chat', '/cohere/v2/chat/'])('%s asks for a chat', (path) => {
    expect(endpointOf('POST', path)).toMatchObject({ api: 'cohere.chat', generation: true, streamsByDefault: false });
  });

  it.each(['/v2/embed', '/v2/rerank', '/chat', '/v3/chat', '/api/v1/chat'])('%s does not', (path) => {
    expect(endpointOf('POST', path).api).not.toBe('cohere.chat');
  });
});
