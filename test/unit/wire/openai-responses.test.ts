import { describe, expect, it } from 'vitest';
import { openaiResponses } from '../../../src/wire/dialects/openai-responses.ts';
import { endpointOf } from '../../../src/wire/registry.ts';
import { events } from '../../helpers/anthropic-events.ts';
import { EVENT_STREAM, JSON_BODY, type ReadAnswer, readAnswer } from '../../helpers/fact-log.ts';
import { dialectLaws } from './laws.ts';

type Json = Record<string, unknown>;

const read = (...messages: Json[]): ReadAnswer => readAnswer(openaiResponses, [Buffer.from(events(...messages))]);
const readBody = (body: Json): ReadAnswer =>
  readAnswer(openaiResponses, [Buffer.from(JSON.stringify(body))], { head: JSON_BODY });

const response = (type: string, rest: Json = {}): Json => ({
  type: `response.${type}`,
  response: { id: 'resp_1', object: 'response', model: 'm', status: type, output: [], usage: null, ...rest },
});
const usage = (input: number, output: number, rest: Json = {}): Json => ({
  usage: { input_tokens: input, output_tokens: output, total_tokens: input + output, ...rest },
});
const piece = (name: string, rest: Json, place = 0): Json => ({
  type: `response.${name}`,
  item_id: `item_${place}`,
  output_index: place,
  content_index: 0,
  ...rest,
});
const item = (stage: 'added' | 'done', item: Json, place = 0): Json => ({
  type: `response.output_item.${stage}`,
  output_index: place,
  item,
});
const textItem = (text: string): Json => ({ type: 'message', content: [{ type: 'output_text', text }] });
const callItem = (args: string): Json => ({ type: 'function_call', name: 'get', arguments: args });

const OPENING = [response('created'), response('in_progress')];
const PLAIN = [
  ...OPENING,
  item('added', { type: 'message', content: [] }),
  piece('content_part.added', { part: { type: 'output_text', text: '' } }),
  piece('output_text.delta', { delta: 'Hel', obfuscation: 'xyz' }),
  piece('output_text.delta', { delta: 'lo' }),
  piece('output_text.done', { text: 'Hello' }),
  piece('content_part.done', { part: { type: 'output_text', text: 'Hello' } }),
  item('done', textItem('Hello')),
  response('completed', { output: [textItem('Hello')], ...usage(7, 2) }),
];
const CALLS = [
  ...OPENING,
  item('added', callItem('')),
  piece('function_call_arguments.delta', { delta: '{"a":' }),
  piece('function_call_arguments.delta', { delta: '1}' }),
  piece('function_call_arguments.done', { arguments: '{"a":1}' }),
  item('done', callItem('{"a":1}')),
  response('completed', {
    output: [callItem('{"a":1}')],
    ...usage(9, 5, { output_tokens_details: { reasoning_tokens: 3 }, input_tokens_details: { cached_tokens: 4 } }),
  }),
];
const BODY = {
  object: 'response',
  status: 'completed',
  model: 'm',
  error: null,
  output: [
    {
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'short' }],
      content: [{ type: 'reasoning_text', text: 'hm' }],
    },
    {
      type: 'message',
      content: [
        { type: 'output_text', text: 'Hel' },
        { type: 'output_text', text: 'lo' },
      ],
    },
    callItem('{}'),
    { type: 'mcp_call', name: 'find', arguments: '{"q":1}', output: 'what the server found' },
    { type: 'tool_search_output', tools: [{ name: 'x' }] },
  ],
  ...usage(7, 20),
};

describe('the laws of a dialect, for openai.responses', () => {
  dialectLaws(openaiResponses, {
    answers: [
      { name: 'plain', head: EVENT_STREAM, body: events(...PLAIN) },
      { name: 'calls', head: EVENT_STREAM, body: events(...CALLS) },
      { name: 'one body', head: JSON_BODY, body: JSON.stringify(BODY) },
    ],
    withoutOutput: [
      { name: 'an opening', head: EVENT_STREAM, body: events(...OPENING) },
      {
        name: 'an empty item',
        head: EVENT_STREAM,
        body: events(
          ...OPENING,
          item('added', { type: 'reasoning', encrypted_content: 'gAAAA', summary: [] }),
          piece('reasoning_summary_part.added', { part: { type: 'summary_text', text: '' } }),
          piece('output_text.delta', { delta: '' }),
          item('done', { type: 'reasoning', encrypted_content: 'gAAAA', summary: [] }),
          response('completed', usage(7, 64)),
        ),
      },
    ],
  });
});

describe('output', () => {
  it.each([
    ['output_text', 'content'],
    ['refusal', 'refusal'],
    ['reasoning_text', 'reasoning'],
    ['reasoning_summary_text', 'summary'],
    ['function_call_arguments', 'tool'],
    ['mcp_call_arguments', 'tool'],
    ['custom_tool_call_input', 'tool'],
    ['code_interpreter_call_code', 'tool'],
    ['audio', 'audio'],
  ])('is a delta of %s', (name, channel) => {
    expect(read(piece(`${name}.delta`, { delta: 'x' })).log.of('output')).toEqual([
      { kind: 'output', choice: 0, channel, text: 'x' },
    ]);
  });

  it.each([
    ['a search at the server', piece('web_search_call.searching', {})],
    ['a citation', piece('output_text.annotation.added', { annotation: { title: 'x' } })],
    ['a half-made picture', piece('image_generation_call.partial_image', { partial_image_b64: 'x' })],
    ['an event of another kind', piece('later_invention.delta', { delta: 'x' })],
    ['a delta that is no text', piece('output_text.delta', { delta: { text: 'x' } })],
  ])('is not %s', (_name, event) => {
    expect(read(event).log.of('output')).toEqual([]);
  });

  it('is told once, though it comes four times', () => {
    expect(read(...PLAIN).log.text()).toBe('Hello');
    expect(read(...CALLS).log.text()).toBe('get{"a":1}');
  });

  it('of a tool is its name first, as soon as the item begins', () => {
    const { log } = read(...CALLS.slice(0, 3));
    expect(log.of('output').map(({ channel, text }) => [channel, text])).toEqual([['tool', 'get']]);
  });

  it('is told by the first that repeats it where no deltas come (LM Studio’s arguments)', () => {
    const done = (place: number) => piece('function_call_arguments.done', { arguments: `{"n":${place}}` }, place);
    const { log } = read(
      ...OPENING,
      ...[0, 1].flatMap((place) => [
        item('added', callItem(''), place),
        done(place),
        item('done', callItem(`{"n":${place}}`), place),
      ]),
      response('completed', { output: [callItem('{"n":0}'), callItem('{"n":1}')], ...usage(7, 2) }),
    );
    expect(log.text('tool')).toBe('get{"n":0}get{"n":1}');
  });

  it('is the object that a call at the server was given', () => {
    const call = { type: 'tool_search_call', arguments: { paths: ['a'] } };
    const { log } = read(item('added', { ...call, arguments: {} }), item('done', call));
    expect(log.text('tool')).toBe('{"paths":["a"]}');
  });

  it('stands in the last event where nothing came before it', () => {
    const { log } = read(...OPENING, response('completed', { output: BODY.output, ...usage(7, 20) }));
    expect(log.text()).toBe(readBody(BODY).log.text());
  });

  it('stands in the items of an answer that was not streamed', () => {
    const { log, streamed } = readBody(BODY);
    expect([log.text('reasoning'), log.text('summary'), log.text('content'), log.text('tool'), streamed]).toEqual([
      'hm',
      'short',
      'Hello',
      'get{}find{"q":1}',
      false,
    ]);
  });
});

describe('server timings', () => {
  it('stand in the response that ended (vLLM)', () => {
    const metrics = { queue_time_ms: 1, time_to_first_token_ms: 2, generation_time_ms: 3 };
    const { log } = read(...OPENING, response('completed', { ...usage(7, 2), metrics }));
    expect(log.of('timings').map((fact) => fact.timings)).toEqual([
      { queue_ms: 1, prefill_ms: 2, decode_ms: 3, total_ms: null },
    ]);
  });
});

describe('usage', () => {
  it('adds up to its total where the cache was counted apart', () => {
    const counts = { input_tokens: 10, output_tokens: 5, total_tokens: 1015, cache_read_input_tokens: 1000 };
    const { log } = read(...OPENING, response('completed', { usage: counts }));
    expect(log.merged).toEqual({ inputTokens: 1010, cachedInputTokens: 1000, outputTokens: 5 });
  });

  it('is the last event’s, with what was cached, written and reasoned', () => {
    const details = {
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
      output_tokens_details: { reasoning_tokens: 1 },
    };
    const { log } = read(...PLAIN.slice(0, -1), response('completed', usage(7, 2, details)));
    expect([log.merged, log.hasFinalUsage]).toEqual([
      { inputTokens: 7, cachedInputTokens: 4, cacheWriteInputTokens: 2, outputTokens: 2, reasoningTokens: 1 },
      true,
    ]);
  });

  it('is absent when the response failed before it began', () => {
    const { log, complete } = read(...OPENING, response('failed', { error: { code: 'server_error' } }));
    expect([log.of('usage'), log.of('failed').length > 0, complete]).toEqual([[], true, true]);
  });

  it('B18: is read of an incomplete response, which is complete as a stream, and says why it stopped', () => {
    const { log, complete } = read(
      ...PLAIN.slice(0, 6),
      response('incomplete', { incomplete_details: { reason: 'max_output_tokens' }, ...usage(100, 32) }),
    );
    expect([log.merged, log.of('choiceEnded'), log.of('failed'), complete]).toEqual([
      { inputTokens: 100, outputTokens: 32 },
      [{ kind: 'choiceEnded', choice: 0, reason: 'incomplete:max_output_tokens' }],
      [],
      true,
    ]);
  });

  it('of a failed response that had begun is read too', () => {
    const { log } = read(...PLAIN.slice(0, 6), response('failed', usage(100, 3)));
    expect([log.merged, log.of('choiceEnded')[0]?.reason]).toEqual([{ inputTokens: 100, outputTokens: 3 }, 'failed']);
  });
});

describe('the end', () => {
  it('B54: is the last event, without [DONE]', () => {
    expect(read(...PLAIN).complete).toBe(true);
  });

  it('B52: is not the last delta, and not a `done`', () => {
    for (let events = 1; events < PLAIN.length; events += 1) {
      expect(read(...PLAIN.slice(0, events)).complete).toBe(false);
    }
  });

  it('B49: by an error is a failure, whether it says so in an object or flatly', () => {
    const object = { type: 'error', error: { code: 'insufficient_quota', message: 'x' } };
    const flat = { type: 'error', code: 'server_error', message: 'x', param: null };
    for (const error of [object, flat]) {
      const { log, complete } = read(...PLAIN.slice(0, 6), error);
      expect([log.of('failed').length > 0, complete]).toEqual([true, true]);
    }
    const unnamed = readAnswer(openaiResponses, [Buffer.from(`data: ${JSON.stringify(flat)}\n\n`)]);
    expect(unnamed.log.of('failed')).toHaveLength(1);
  });

  it('of a response in the background has not come when it is queued', () => {
    const { log } = readBody({ object: 'response', status: 'queued', model: 'm', output: [], usage: null });
    expect(log.facts.map((fact) => fact.kind)).toEqual(['event', 'model']);
  });
});

describe('the endpoint', () => {
  it.each(['/v1/responses', '/openai/v1/responses', '/responses', '/api/v1/responses/'])('is POST %s', (path) => {
    expect(endpointOf('POST', path)).toMatchObject({ api: 'openai.responses', generation: true });
  });

  it.each([
    ['GET', '/v1/responses/resp_1'],
    ['DELETE', '/v1/responses/resp_1'],
    ['POST', '/v1/responses/resp_1/cancel'],
    ['POST', '/v1/responses/input_tokens'],
    ['GET', '/v1/responses/resp_1/input_items'],
  ])('B33: is not %s %s: a replay is no generation', (method, path) => {
    expect(endpointOf(method, path)).toMatchObject({ api: 'other', generation: false, dialect: null });
  });
});
