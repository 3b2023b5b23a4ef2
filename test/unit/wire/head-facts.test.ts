import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bedrockInvoke } from '../../../src/wire/dialects/bedrock-invoke.ts';
import { openaiEmbeddings } from '../../../src/wire/dialects/embeddings.ts';
import { openaiChat } from '../../../src/wire/dialects/openai-chat.ts';
import { sglangGenerate, tgiGenerate } from '../../../src/wire/dialects/text-generation.ts';
import type { Dialect, ServerTimings } from '../../../src/wire/facts.ts';
import { type FactLog, headOf, readAnswer } from '../../helpers/fact-log.ts';

type Headers = Record<string, string>;

function bodyOf(dialect: Dialect, message: unknown, headers: Headers): FactLog {
  const head = headOf('application/json', 200, headers);
  return readAnswer(dialect, [Buffer.from(JSON.stringify(message))], { head }).log;
}

const timingsOf = (log: FactLog): ServerTimings[] => log.of('timings').map(({ timings }) => timings);
const SILENT: ServerTimings = { queue_ms: null, prefill_ms: null, decode_ms: null, total_ms: null };

const CHAT = {
  model: 'm',
  choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 },
};

describe('TGI', () => {
  const HEADERS: Headers = {
    'x-compute-type': 'gpu+optimized',
    'x-queue-time': '3',
    'x-inference-time': '120',
    'x-time-per-token': '6',
    'x-total-time': '125',
    'x-prompt-tokens': '17',
    'x-generated-tokens': '20',
  };
  const DETAILS = { finish_reason: 'length', generated_tokens: 21, prefill: [], input_length: 18 };

  it.each([
    ['/generate', sglangGenerate, { generated_text: 'Hi' }],
    ['/', tgiGenerate, [{ generated_text: 'Hi' }]],
  ])('counts in the headers of an unstreamed answer to %s that has no details', (_path, dialect, message) => {
    const log = bodyOf(dialect, message, HEADERS);
    expect(log.merged).toEqual({ inputTokens: 17, outputTokens: 20 });
    expect(log.hasFinalUsage).toBe(true);
    expect(timingsOf(log)).toEqual([{ queue_ms: 3, prefill_ms: null, decode_ms: 120, total_ms: 125 }]);
  });

  it('details come before headers', () => {
    const log = bodyOf(tgiGenerate, { generated_text: 'Hi', details: DETAILS }, HEADERS);
    expect(log.merged).toEqual({ inputTokens: 18, outputTokens: 21 });
  });

  it('says its times of an unstreamed chat, too', () => {
    expect(timingsOf(bodyOf(openaiChat, CHAT, HEADERS))).toEqual([
      { ...SILENT, queue_ms: 3, decode_ms: 120, total_ms: 125 },
    ]);
  });

  it('knows nothing yet when it sends the head of a stream', () => {
    const head = headOf('text/event-stream', 200, HEADERS);
    const events = 'data:{"token":{"id":1,"text":"Hi"},"generated_text":"Hi"}\n\n';
    const { log } = readAnswer(tgiGenerate, [Buffer.from(events)], { head });
    expect(log.merged).toEqual({ outputTokens: 1 });
    expect(timingsOf(log)).toEqual([]);
  });
});

describe('OpenAI, Azure and Fireworks', () => {
  it.each([
    [openaiChat, CHAT],
    [openaiEmbeddings, { model: 'm', data: [], usage: { prompt_tokens: 3, total_tokens: 3 } }],
  ])('say how long an unstreamed answer took ($api)', (dialect, message) => {
    const log = bodyOf(dialect, message, { 'openai-processing-ms': '431' });
    expect(timingsOf(log)).toEqual([{ ...SILENT, total_ms: 431 }]);
  });

  it('of a stream it is only when it began, which is no total', () => {
    const head = headOf('text/event-stream', 200, { 'openai-processing-ms': '431' });
    const event = 'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n';
    expect(timingsOf(readAnswer(openaiChat, [Buffer.from(event)], { head }).log)).toEqual([]);
  });

  it('Fireworks counts in seconds', () => {
    const headers = { 'fireworks-server-time-to-first-token': '0.1', 'fireworks-server-processing-time': '0.613' };
    expect(timingsOf(bodyOf(openaiChat, CHAT, headers))).toEqual([{ ...SILENT, prefill_ms: 100, total_ms: 613 }]);
  });

  it('Fireworks’s dedicated deployments tell the parts of it', () => {
    const headers = { 'fireworks-prefill-queue-duration': '0.01', 'fireworks-prefill-duration': '0.09' };
    expect(timingsOf(bodyOf(openaiChat, CHAT, headers))).toEqual([{ ...SILENT, queue_ms: 10, prefill_ms: 90 }]);
  });

  it('what the body says comes later, and so counts', () => {
    const message = { ...CHAT, timings: { prompt_ms: 10, predicted_ms: 20 } };
    const said = timingsOf(bodyOf(openaiChat, message, { 'openai-processing-ms': '431' }));
    expect(said.map(({ total_ms }) => total_ms)).toEqual([431, null]);
  });
});

describe('Bedrock invoke', () => {
  const HEADERS: Headers = {
    'x-amzn-bedrock-input-token-count': '30',
    'x-amzn-bedrock-output-token-count': '97',
    'x-amzn-bedrock-invocation-latency': '1542',
  };
  const CLAUDE = {
    type: 'message',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 30, output_tokens: 133 },
  };

  it('counts for vendors that do not, and says how long it took', () => {
    const log = bodyOf(bedrockInvoke, { outputs: [{ text: 'Hi', stop_reason: 'stop' }] }, HEADERS);
    expect(log.merged).toEqual({ inputTokens: 30, outputTokens: 97 });
    expect(log.hasFinalUsage).toBe(true);
    expect(timingsOf(log)).toEqual([{ ...SILENT, total_ms: 1542 }]);
  });

  it('has the last word over the vendor, as in a stream', () => {
    expect(bodyOf(bedrockInvoke, CLAUDE, HEADERS).merged).toEqual({ inputTokens: 30, outputTokens: 97 });
  });

  it('adds what was read from and written to the cache', () => {
    const cache = {
      'x-amzn-bedrock-cache-read-input-token-count': '1000',
      'x-amzn-bedrock-cache-write-input-token-count': '5',
    };
    const { merged } = bodyOf(bedrockInvoke, CLAUDE, { ...HEADERS, ...cache });
    expect(merged).toEqual({
      inputTokens: 1035,
      cachedInputTokens: 1000,
      cacheWriteInputTokens: 5,
      outputTokens: 97,
    });
  });

  it('the vendor’s input stands where only the vendor tells what came from the cache', () => {
    const usage = { input_tokens: 30, cache_read_input_tokens: 1000, output_tokens: 97 };
    const { merged } = bodyOf(bedrockInvoke, { ...CLAUDE, usage }, HEADERS);
    expect(merged).toMatchObject({ inputTokens: 1030, cachedInputTokens: 1000, outputTokens: 97 });
  });

  it('without such headers the vendor’s word stands', () => {
    expect(bodyOf(bedrockInvoke, CLAUDE, {}).merged).toEqual({ inputTokens: 30, outputTokens: 133 });
  });
});

describe('a header that holds no plain number', () => {
  const NAMES = [
    'x-queue-time',
    'x-total-time',
    'x-prompt-tokens',
    'x-generated-tokens',
    'openai-processing-ms',
    'fireworks-server-processing-time',
    'x-amzn-bedrock-input-token-count',
    'x-amzn-bedrock-invocation-latency',
  ];
  const junk = fc.oneof(
    fc.string(),
    fc.constantFrom('', '-1', '1e9', 'NaN', 'Infinity', '0x10', '1,1', '1 ms', '9'.repeat(400)),
  );

  it.each([openaiChat, tgiGenerate, bedrockInvoke])('says nothing ($api)', (dialect) => {
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), junk, (name, value) => {
        fc.pre(!/^\s*\d{1,15}(\.\d{1,15})?\s*$/.test(value));
        const log = bodyOf(dialect, { generated_text: 'Hi' }, { [name]: value });
        expect([...log.of('usage'), ...log.of('timings')]).toEqual([]);
      }),
    );
  });

  it('a part of a token is a bad count', () => {
    const log = bodyOf(tgiGenerate, { generated_text: 'Hi' }, { 'x-prompt-tokens': '1.5', 'x-generated-tokens': '2' });
    expect(log.merged).toEqual({ outputTokens: 2 });
    expect(log.degradations).toEqual(['bad_usage']);
  });
});
