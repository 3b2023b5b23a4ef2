import { describe, expect, it } from 'vitest';
import { anthropicMessages } from '../../../src/wire/dialects/anthropic-messages.ts';
import { endpointOf } from '../../../src/wire/registry.ts';
import {
  blockStart,
  blockStop,
  delta,
  events,
  messageDelta,
  PLAIN,
  ping,
  start,
  stop,
  text,
} from '../../helpers/anthropic-events.ts';
import { EVENT_STREAM, headOf, JSON_BODY, type ReadAnswer, readAnswer } from '../../helpers/fact-log.ts';
import { dialectLaws } from './laws.ts';

const read = (body: string, mediaType = 'text/event-stream'): ReadAnswer =>
  readAnswer(anthropicMessages, [Buffer.from(body)], { head: headOf(mediaType) });
const readBody = (body: unknown): ReadAnswer => read(JSON.stringify(body), 'application/json');

const THINKING = events(
  start({ input_tokens: 3, cache_read_input_tokens: 9, cache_creation_input_tokens: 1, output_tokens: 5 }),
  blockStart({ type: 'thinking', thinking: '', signature: '' }),
  delta({ type: 'thinking_delta', thinking: 'hm' }),
  delta({ type: 'signature_delta', signature: 'EpADCokBCA8YAipA' }),
  blockStop(),
  blockStart({ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} }, 1),
  delta({ type: 'input_json_delta', partial_json: '' }, 1),
  delta({ type: 'input_json_delta', partial_json: '{"city":"Oslo"}' }, 1),
  messageDelta({ output_tokens: 40, output_tokens_details: { thinking_tokens: 12 } }, 'tool_use'),
  stop,
);
const BODY = {
  type: 'message',
  model: 'm',
  content: [
    { type: 'thinking', thinking: 'hm', signature: 'x' },
    { type: 'redacted_thinking', data: 'EpADCokBCA8YAipA' },
    { type: 'text', text: 'é🌍', citations: [] },
    { type: 'tool_use', id: 'toolu_1', name: 'get', input: { city: 'Oslo' } },
    { type: 'web_search_tool_result', tool_use_id: 't', content: [{ type: 'web_search_result', title: 'x' }] },
  ],
  stop_reason: 'tool_use',
  usage: { input_tokens: 3, cache_read_input_tokens: 1000, cache_creation_input_tokens: 200, output_tokens: 33 },
};

describe('the laws of a dialect, for anthropic.messages', () => {
  dialectLaws(anthropicMessages, {
    answers: [
      { name: 'plain', head: EVENT_STREAM, body: events(...PLAIN) },
      { name: 'thinking and a tool', head: EVENT_STREAM, body: THINKING },
      { name: 'CRLF', head: EVENT_STREAM, body: events(...PLAIN).replaceAll('\n', '\r\n') },
      { name: 'one body', head: JSON_BODY, body: JSON.stringify(BODY) },
    ],
    withoutOutput: [
      {
        name: 'start, ping and stop',
        head: EVENT_STREAM,
        body: events(start(), ping, blockStart({ type: 'text', text: '' }), blockStop(), messageDelta(), stop),
      },
      {
        name: 'signature and citation',
        head: EVENT_STREAM,
        body: events(
          start(),
          delta({ type: 'signature_delta', signature: 'x' }),
          delta({ type: 'citations_delta', citation: { cited_text: 'x', document_title: 'x' } }),
        ),
      },
      { name: 'a count of tokens', head: JSON_BODY, body: '{"input_tokens":14}' },
    ],
  });
});

describe('output', () => {
  it.each([
    ['text', delta({ type: 'text_delta', text: 'x' }), 'content'],
    ['text that stands in the start of its block', blockStart({ type: 'text', text: 'x' }), 'content'],
    ['thinking', delta({ type: 'thinking_delta', thinking: 'x' }), 'reasoning'],
    ['the name of a tool', blockStart({ type: 'tool_use', name: 'x', input: {} }), 'tool'],
    ['the name of a tool that the server runs', blockStart({ type: 'server_tool_use', name: 'x', input: {} }), 'tool'],
    ['the name of an MCP tool', blockStart({ type: 'mcp_tool_use', name: 'x', input: {} }), 'tool'],
    ['the arguments of a tool', delta({ type: 'input_json_delta', partial_json: 'x' }), 'tool'],
  ])('is %s', (_name, message, channel) => {
    const expected = [{ kind: 'output', choice: 0, channel, text: 'x' }];
    expect(read(events(start(), message)).log.of('output')).toEqual(expected);
  });

  it.each([
    ['the result of a tool at the server', blockStart({ type: 'web_search_tool_result', content: [{ title: 'x' }] })],
    ['redacted thinking', blockStart({ type: 'redacted_thinking', data: 'x' })],
    ['a ping', ping],
    ['an unknown event', { type: 'new_event', text: 'x' }],
  ])('is not %s', (_name, message) => {
    expect(read(events(start(), message)).log.of('output')).toEqual([]);
  });

  it('stands in the blocks of a body, tools as JSON', () => {
    const { log, streamed, complete } = readBody(BODY);
    expect([log.text('reasoning'), log.text('content'), log.text('tool')]).toEqual(['hm', 'é🌍', 'get{"city":"Oslo"}']);
    expect([streamed, complete]).toEqual([false, true]);
  });

  it('is whole input of a tool where its block brings it at once', () => {
    const block = blockStart({ type: 'tool_use', name: 'get', input: { city: 'Oslo' } });
    expect(read(events(start(), block)).log.text('tool')).toBe('get{"city":"Oslo"}');
  });
});

describe('usage', () => {
  it('of the start is its input, for its output is no count yet', () => {
    const { log } = read(events(start({ input_tokens: 7, output_tokens: 8 }), text('a')));
    expect(log.of('usage')).toEqual([{ kind: 'usage', snapshot: { inputTokens: 7 }, final: false }]);
  });

  it('B09: is not the sum of start and delta', () => {
    const usage = { input_tokens: 25, cache_read_input_tokens: 100 };
    const { log } = read(events(start({ ...usage, output_tokens: 1 }), messageDelta({ ...usage, output_tokens: 15 })));
    expect(log.merged).toEqual({ inputTokens: 125, cachedInputTokens: 100, outputTokens: 15 });
  });

  it.each([
    ['missing', { output_tokens: 76 }],
    ['null', { input_tokens: null, cache_read_input_tokens: null, output_tokens: 76 }],
  ])('B10: keeps the input of the start where it is %s in the delta', (_name, usage) => {
    const first = start({ input_tokens: 25, cache_read_input_tokens: 100, output_tokens: 1 });
    const { log } = read(events(first, messageDelta(usage)));
    expect(log.merged).toEqual({ inputTokens: 125, cachedInputTokens: 100, outputTokens: 76 });
    expect(log.degradations).toEqual([]);
  });

  it('B11: takes the input of the delta where the start has none', () => {
    const first = start({ input_tokens: 0, output_tokens: 0 });
    const { log } = read(
      events(first, messageDelta({ input_tokens: 3136, cache_read_input_tokens: 6752, output_tokens: 5 })),
    );
    expect(log.merged).toEqual({ inputTokens: 9888, cachedInputTokens: 6752, outputTokens: 5 });
    expect(read(events(first, text('a'))).log.of('usage')).toEqual([]);
  });

  it('B13: has the cache within its input, as every API has it here', () => {
    const expected = { inputTokens: 1203, cachedInputTokens: 1000, cacheWriteInputTokens: 200, outputTokens: 33 };
    expect(readBody(BODY).log.merged).toEqual(expected);
  });

  it('may come in several deltas, of which only that with the stop reason is the last word', () => {
    const { log } = read(
      events(
        start(),
        text('a'),
        messageDelta({ output_tokens: 3 }, null),
        text('b'),
        messageDelta({ output_tokens: 9 }),
      ),
    );
    const said = log.of('usage').map(({ snapshot, final }) => [snapshot.outputTokens, final]);
    expect(said).toEqual([
      [undefined, false],
      [3, false],
      [9, true],
    ]);
  });

  it('tells of thinking that was kept back', () => {
    expect(read(THINKING).log.merged).toEqual({
      inputTokens: 13,
      cachedInputTokens: 9,
      cacheWriteInputTokens: 1,
      outputTokens: 40,
      reasoningTokens: 12,
    });
  });

  it('that is nonsense is reported once and not taken', () => {
    const { log } = read(events(start({ input_tokens: -1 }), messageDelta({ input_tokens: '7', output_tokens: 1.5 })));
    expect([log.of('usage'), log.degradations]).toEqual([[], ['bad_usage']]);
    const huge = 1e9;
    const sum = readBody({ usage: { input_tokens: huge, cache_read_input_tokens: huge, output_tokens: 1 } });
    expect([sum.log.merged, sum.log.degradations]).toEqual([
      { cachedInputTokens: huge, outputTokens: 1 },
      ['bad_usage'],
    ]);
  });
});

describe('the end', () => {
  it('is message_stop', () => {
    expect(read(events(...PLAIN)).complete).toBe(true);
    for (let kept = 0; kept < PLAIN.length; kept += 1) {
      expect(read(events(...PLAIN.slice(0, kept))).complete).toBe(false);
    }
  });

  it('may be followed by [DONE] (vLLM)', () => {
    const { complete, log } = read(`${events(...PLAIN)}data: [DONE]\n\n`);
    expect([complete, log.degradations]).toEqual([true, []]);
  });

  it('has the reason of the delta, told once', () => {
    const { log } = read(events(...PLAIN.slice(0, -1), messageDelta({ output_tokens: 2 }, 'max_tokens'), stop));
    expect(log.of('choiceEnded')).toEqual([{ kind: 'choiceEnded', choice: 0, reason: 'end_turn' }]);
  });

  it('B49: may be an error under 200, in its own event or not', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'x' } };
    const named = read(events(start(), text('a'), error));
    const unnamed = read(`${events(start())}data: ${JSON.stringify(error)}\n\n`);
    for (const { log, complete } of [named, unnamed]) {
      expect([log.of('failed').length > 0, complete]).toEqual([true, false]);
    }
    expect(readBody(error).log.of('failed')).toHaveLength(1);
  });
});

describe('the model name', () => {
  it('is that of the start, or of the body', () => {
    for (const { log } of [read(events(...PLAIN)), readBody(BODY)]) {
      expect(log.of('model')).toEqual([{ kind: 'model', name: 'm' }]);
    }
  });
});

describe('the path', () => {
  it.each(['/v1/messages', '/anthropic/v1/messages', '/v1/messages/'])('%s asks for a message', (path) => {
    expect(endpointOf('POST', path)).toMatchObject({
      api: 'anthropic.messages',
      generation: true,
      streamsByDefault: false,
    });
  });

  it.each([
    ['rawPredict', false],
    ['streamRawPredict', true],
  ])('of Vertex names the model before %s', (verb, streamsByDefault) => {
    const path = `/v1/projects/p/locations/l/publishers/anthropic/models/claude-3-5-haiku@20241022:${verb}`;
    const expected = { api: 'anthropic.messages', modelFromPath: 'claude-3-5-haiku@20241022', streamsByDefault };
    expect(endpointOf('POST', path)).toMatchObject(expected);
  });

  it.each([
    ['POST', '/v1/projects/p/locations/l/publishers/anthropic/models/count-tokens:rawPredict'],
    ['POST', '/v1/messages/count_tokens'],
    ['POST', '/v1/messages/batches'],
    ['POST', '/v1/threads/thread_1/messages'],
    ['GET', '/v1/messages'],
  ])('%s %s does not', (method, path) => {
    expect(endpointOf(method, path).api).not.toBe('anthropic.messages');
  });
});
