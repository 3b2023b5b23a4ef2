import { describe, expect, it } from 'vitest';
import { bedrockInvoke } from '../../../src/wire/dialects/bedrock-invoke.ts';
import type { AnswerHead } from '../../../src/wire/facts.ts';
import { endpointOf } from '../../../src/wire/registry.ts';
import { PLAIN as CLAUDE, messageDelta, start, stop, text } from '../../helpers/anthropic-events.ts';
import { exceptionFrame, messageFrame, vendorFrame } from '../../helpers/aws-frames.ts';
import { headOf, JSON_BODY, type ReadAnswer, readAnswer } from '../../helpers/fact-log.ts';
import { dialectLaws } from './laws.ts';

type Json = Record<string, unknown>;

const FRAMES: AnswerHead = headOf('application/vnd.amazon.eventstream');

const metrics = (input: number, output: number, rest: Json = {}): Json => ({
  'amazon-bedrock-invocationMetrics': {
    inputTokenCount: input,
    outputTokenCount: output,
    invocationLatency: 900,
    firstByteLatency: 300,
    ...rest,
  },
});
const read = (...messages: Json[]): ReadAnswer =>
  readAnswer(bedrockInvoke, [Buffer.concat(messages.map(vendorFrame))], { head: FRAMES });
const readBody = (body: Json): ReadAnswer =>
  readAnswer(bedrockInvoke, [Buffer.from(JSON.stringify(body))], { head: JSON_BODY });

/** "Hello" in the chunks of each vendor, and in its unstreamed body. */
const STREAMS: [string, Json[]][] = [
  ['Claude', [...CLAUDE.slice(0, -1), { ...stop, ...metrics(7, 2) }]],
  [
    'Claude’s old API',
    [
      { type: 'completion', completion: 'Hel', stop_reason: null },
      { type: 'completion', completion: 'lo', stop_reason: 'stop_sequence', ...metrics(7, 2) },
    ],
  ],
  [
    'Titan',
    [
      { outputText: 'Hel', index: 0, totalOutputTextTokenCount: null, completionReason: null, inputTextTokenCount: 7 },
      { outputText: 'lo', index: 0, totalOutputTextTokenCount: 2, completionReason: 'FINISH', ...metrics(7, 2) },
    ],
  ],
  [
    'Llama',
    [
      { generation: 'Hel', prompt_token_count: 7, generation_token_count: 1, stop_reason: null },
      { generation: 'lo', prompt_token_count: null, generation_token_count: 2, stop_reason: 'stop', ...metrics(7, 2) },
    ],
  ],
  [
    'Mistral',
    [
      { outputs: [{ text: 'Hel', stop_reason: null }] },
      { outputs: [{ text: 'lo', stop_reason: 'stop' }], ...metrics(7, 2) },
    ],
  ],
  [
    'Mistral’s chat',
    [
      { choices: [{ index: 0, message: { role: 'assistant', content: 'Hel' }, stop_reason: null }] },
      { choices: [{ index: 0, message: { role: 'assistant', content: 'lo' }, stop_reason: 'stop' }], ...metrics(7, 2) },
    ],
  ],
  [
    'an OpenAI-alike',
    [
      { model: 'm', choices: [{ index: 0, delta: { content: 'Hel' } }] },
      { model: 'm', choices: [{ index: 0, delta: { content: 'lo' }, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2 }, ...metrics(7, 2) },
    ],
  ],
  [
    'Cohere Command R',
    [
      { event_type: 'stream-start', is_finished: false },
      { event_type: 'text-generation', text: 'Hel', is_finished: false },
      { event_type: 'text-generation', text: 'lo', is_finished: false },
      {
        event_type: 'stream-end',
        is_finished: true,
        finish_reason: 'COMPLETE',
        response: { text: 'Hello' },
        ...metrics(7, 2),
      },
    ],
  ],
  [
    'Cohere Command',
    [
      { text: 'Hel', is_finished: false, index: 0 },
      { text: 'lo', is_finished: false, index: 0 },
      { text: '', is_finished: true, finish_reason: 'COMPLETE', ...metrics(7, 2) },
    ],
  ],
  [
    'Nova',
    [
      { messageStart: { role: 'assistant' } },
      { contentBlockDelta: { delta: { text: 'Hel' }, contentBlockIndex: 0 } },
      { contentBlockDelta: { delta: { text: 'lo' }, contentBlockIndex: 0 } },
      { contentBlockStop: { contentBlockIndex: 0 } },
      { messageStop: { stopReason: 'end_turn' } },
      { metadata: { usage: { inputTokens: 7, outputTokens: 2 }, metrics: {}, trace: {} }, ...metrics(7, 2) },
    ],
  ],
];
const BODIES: [string, Json, Json][] = [
  [
    'Claude',
    {
      type: 'message',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 7, output_tokens: 2 },
    },
    { inputTokens: 7, outputTokens: 2 },
  ],
  [
    'Titan',
    { inputTextTokenCount: 7, results: [{ tokenCount: 2, outputText: 'Hello', completionReason: 'FINISH' }] },
    { inputTokens: 7, outputTokens: 2 },
  ],
  [
    'Llama',
    { generation: 'Hello', prompt_token_count: 7, generation_token_count: 2, stop_reason: 'stop' },
    { inputTokens: 7, outputTokens: 2 },
  ],
  ['Mistral', { outputs: [{ text: 'Hello', stop_reason: 'stop' }] }, {}],
  [
    'DeepSeek',
    { choices: [{ text: 'Hello', stop_reason: 'stop' }], usage: { prompt_tokens: 7, completion_tokens: 2 } },
    { inputTokens: 7, outputTokens: 2 },
  ],
  ['Cohere Command', { id: 'a', generations: [{ id: 'b', text: 'Hello', finish_reason: 'COMPLETE' }] }, {}],
  ['Cohere Command R', { response_id: 'a', text: 'Hello', finish_reason: 'COMPLETE', chat_history: [] }, {}],
  [
    'Jurassic',
    {
      id: 1,
      prompt: { text: 'hi' },
      completions: [{ data: { text: 'Hello' }, finishReason: { reason: 'endoftext' } }],
    },
    {},
  ],
  [
    'Nova',
    {
      output: { message: { content: [{ text: 'Hello' }] } },
      stopReason: 'end_turn',
      usage: { inputTokens: 7, outputTokens: 2 },
    },
    { inputTokens: 7, outputTokens: 2 },
  ],
];

describe('the laws of a dialect, for bedrock.invoke', () => {
  dialectLaws(bedrockInvoke, {
    answers: [
      ...STREAMS.map(([name, messages]) => ({ name, head: FRAMES, body: Buffer.concat(messages.map(vendorFrame)) })),
      ...BODIES.map(([name, body]) => ({ name: `${name}, one body`, head: JSON_BODY, body: JSON.stringify(body) })),
    ],
    withoutOutput: [
      {
        name: 'start and stop',
        head: FRAMES,
        body: Buffer.concat([start(), messageDelta(), { ...stop, ...metrics(7, 0) }].map(vendorFrame)),
      },
      { name: 'an embedding', head: JSON_BODY, body: '{"embedding":[0.1,0.2],"inputTextTokenCount":5}' },
    ],
    framed: (json) => messageFrame('chunk', { bytes: Buffer.from(json).toString('base64') }),
  });
});

describe.each(STREAMS)('a stream of %s', (_name, messages) => {
  it('has its text, Bedrock’s own counts and times, and its reason once', () => {
    const { log, complete, streamed } = read(...messages);
    expect([log.text('content'), complete, streamed, log.degradations]).toEqual(['Hello', true, true, []]);
    expect([log.merged, log.hasFinalUsage]).toEqual([{ inputTokens: 7, outputTokens: 2 }, true]);
    expect(log.of('choiceEnded')).toHaveLength(1);
    const timings = { queue_ms: null, prefill_ms: 300, decode_ms: null, total_ms: 900 };
    expect(log.of('timings')).toEqual([{ kind: 'timings', timings }]);
  });

  it('is not whole, and has said no last word, after its first text', () => {
    const first = messages.findIndex((message) => read(message).log.of('output').length > 0);
    const { log, complete } = read(...messages.slice(0, first + 1));
    expect([log.text('content'), complete, log.hasFinalUsage]).toEqual(['Hel', false, false]);
  });
});

describe.each(BODIES)('a body of %s', (_name, body, usage) => {
  it('has its text and what it says of usage', () => {
    const { log, complete, streamed } = readBody(body);
    expect([log.text('content'), complete, streamed]).toEqual(['Hello', true, false]);
    expect([log.merged, log.hasFinalUsage]).toEqual([usage, Object.keys(usage).length > 0]);
    expect(log.of('choiceEnded')).toHaveLength(1);
  });
});

describe('Bedrock’s own count', () => {
  it('is the last word, also where the vendor’s is greater', () => {
    const { log } = read(
      start({ input_tokens: 392, output_tokens: 8 }),
      text('a'),
      messageDelta({ output_tokens: 133 }),
      {
        ...stop,
        ...metrics(392, 97),
      },
    );
    expect(log.merged).toEqual({ inputTokens: 392, outputTokens: 97 });
  });

  it('leaves to the vendor what it does not say', () => {
    const usage = { output_tokens: 40, output_tokens_details: { thinking_tokens: 12 } };
    const { log } = read(start(), messageDelta(usage), { ...stop, ...metrics(7, 39) });
    expect(log.merged).toEqual({ inputTokens: 7, outputTokens: 39, reasoningTokens: 12 });
  });

  it('leaves all to the vendor when the stream is cut before it', () => {
    const { log } = read(start(), text('a'), messageDelta({ output_tokens: 133 }));
    expect([log.merged, log.hasFinalUsage]).toEqual([{ inputTokens: 7, outputTokens: 133 }, true]);
  });

  it('B13: has the cache outside its input', () => {
    const cache = { cacheReadInputTokenCount: 1000, cacheWriteInputTokenCount: 200 };
    expect(read({ outputs: [{ text: 'a' }], ...metrics(3, 9, cache) }).log.merged).toEqual({
      inputTokens: 1203,
      cachedInputTokens: 1000,
      cacheWriteInputTokens: 200,
      outputTokens: 9,
    });
  });

  it('may be nonsense, which is reported', () => {
    const { log } = read({
      outputs: [{ text: 'a' }],
      ...metrics(-1, 1.5, { invocationLatency: 'x', firstByteLatency: -1 }),
    });
    expect([log.of('usage'), log.of('timings'), log.degradations]).toEqual([[], [], ['bad_usage']]);
  });
});

describe('a guardrail', () => {
  it('writes text that is no count of the model, and ends the answer', () => {
    const { log, complete } = read({
      outputText: 'Input blocked',
      index: 0,
      totalOutputTextTokenCount: 3,
      inputTextTokenCount: 6,
      'amazon-bedrock-guardrailAction': 'INTERVENED',
    });
    expect([log.text(), complete, log.of('usage')]).toEqual(['Input blocked', true, []]);
  });
});

describe('an answer of invoke', () => {
  it('B65: fails by an exception under 200', () => {
    const frames = [...CLAUDE.slice(0, 4).map(vendorFrame), exceptionFrame('modelTimeoutException')];
    const { log, complete } = readAnswer(bedrockInvoke, [Buffer.concat(frames)], { head: FRAMES });
    expect([log.of('failed').length, complete]).toEqual([1, false]);
  });

  it('fails by the vendor’s own error', () => {
    expect(read(start(), { type: 'error', error: { type: 'overloaded_error' } }).log.of('failed')).toHaveLength(1);
  });

  it('of a vendor that nobody knows has Bedrock’s count all the same', () => {
    const { log, complete } = read({ novel: 'Hello' }, { novel: '', ...metrics(7, 2) });
    expect([log.of('output'), log.merged, complete]).toEqual([[], { inputTokens: 7, outputTokens: 2 }, true]);
  });

  it('whose base64 holds no JSON is reported', () => {
    const frames = [messageFrame('chunk', { bytes: '%%%' }), messageFrame('chunk', { bytes: '' })];
    const { log } = readAnswer(bedrockInvoke, [Buffer.concat(frames)], { head: FRAMES });
    expect(log.degradations).toEqual(['unparsed_event', 'unparsed_event']);
  });

  it('with more results than a call has arguments is read', () => {
    const results = Array.from({ length: 200_000 }, () => ({ tokenCount: 1 }));
    expect(readBody({ inputTextTokenCount: 1, results }).log.merged.outputTokens).toBe(200_000);
  });

  it.each([
    'amazon.titan-embed-text-v2:0',
    'cohere.rerank-v3-5:0',
    'amazon.nova-canvas-v1:0',
    'stability.sd3-large-v1:0',
  ])('of %s is no generation', (model) => {
    const endpoint = endpointOf('POST', `/model/${model}/invoke`);
    expect(endpoint).toMatchObject({ api: 'bedrock.invoke', generation: false, modelFromPath: model });
  });

  it('of an embedding has its input', () => {
    const { log } = readBody({ embedding: [0.1, 0.2], inputTextTokenCount: 5 });
    expect([log.merged, log.hasFinalUsage, log.of('output')]).toEqual([{ inputTokens: 5 }, true, []]);
  });

  it('is asked for at two paths', () => {
    const model = 'us.anthropic.claude-3-5-sonnet-20240620-v1:0';
    const common = { api: 'bedrock.invoke', generation: true, modelFromPath: model };
    expect(endpointOf('POST', `/model/${model}/invoke`)).toMatchObject({ ...common, streamsByDefault: false });
    expect(endpointOf('POST', `/model/${model}/invoke-with-response-stream`)).toMatchObject({
      ...common,
      streamsByDefault: true,
    });
  });
});
