import { describe, expect, it } from 'vitest';
import { bedrockConverse } from '../../../src/wire/dialects/bedrock-converse.ts';
import type { AnswerHead } from '../../../src/wire/facts.ts';
import { endpointOf } from '../../../src/wire/registry.ts';
import { exceptionFrame, frame, messageFrame } from '../../helpers/aws-frames.ts';
import { headOf, JSON_BODY, type ReadAnswer, readAnswer } from '../../helpers/fact-log.ts';
import { dialectLaws } from './laws.ts';

const FRAMES: AnswerHead = headOf('application/vnd.amazon.eventstream');

const roleFrame = messageFrame('messageStart', { p: 'abc', role: 'assistant' });
const deltaFrame = (delta: unknown, index = 0): Buffer =>
  messageFrame('contentBlockDelta', { contentBlockIndex: index, delta, p: 'abcdef' });
const stopFrame = (reason = 'end_turn'): Buffer => messageFrame('messageStop', { p: 'a', stopReason: reason });
const usageFrame = (usage: unknown): Buffer => messageFrame('metadata', { metrics: { latencyMs: 605 }, p: 'a', usage });

const PLAIN = [
  roleFrame,
  deltaFrame({ text: 'Hel' }),
  deltaFrame({ text: 'lo' }),
  messageFrame('contentBlockStop', { contentBlockIndex: 0, p: 'a' }),
  stopFrame(),
  usageFrame({ inputTokens: 8, outputTokens: 10, totalTokens: 18 }),
];
const TOOLS = [
  roleFrame,
  deltaFrame({ reasoningContent: { text: 'hm' } }),
  deltaFrame({ reasoningContent: { signature: 'EpADCokBCA8YAipA' } }),
  messageFrame('contentBlockStart', {
    contentBlockIndex: 1,
    start: { toolUse: { name: 'get', toolUseId: 'tooluse_1' } },
  }),
  deltaFrame({ toolUse: { input: '{"city":"Oslo"}' } }, 1),
  stopFrame('tool_use'),
];
const BODY = {
  output: {
    message: {
      role: 'assistant',
      content: [
        { reasoningContent: { reasoningText: { text: 'hm', signature: 'x' } } },
        { text: 'é🌍' },
        { toolUse: { toolUseId: 't', name: 'get', input: { city: 'Oslo' } } },
      ],
    },
  },
  stopReason: 'tool_use',
  usage: { inputTokens: 3, outputTokens: 9, totalTokens: 1212, cacheReadInputTokens: 1000, cacheWriteInputTokens: 200 },
  metrics: { latencyMs: 551 },
};

const read = (...frames: Buffer[]): ReadAnswer =>
  readAnswer(bedrockConverse, [Buffer.concat(frames)], { head: FRAMES });
const readBody = (body: unknown): ReadAnswer =>
  readAnswer(bedrockConverse, [Buffer.from(JSON.stringify(body))], { head: JSON_BODY });

describe('the laws of a dialect, for bedrock.converse', () => {
  dialectLaws(bedrockConverse, {
    answers: [
      { name: 'plain', head: FRAMES, body: Buffer.concat(PLAIN) },
      { name: 'reasoning and a tool', head: FRAMES, body: Buffer.concat(TOOLS) },
      { name: 'an exception', head: FRAMES, body: Buffer.concat([roleFrame, exceptionFrame('throttlingException')]) },
      { name: 'one body', head: JSON_BODY, body: JSON.stringify(BODY) },
    ],
    withoutOutput: [
      {
        name: 'start, empty text and end',
        head: FRAMES,
        body: Buffer.concat([roleFrame, deltaFrame({ text: '' }), stopFrame(), usageFrame({ inputTokens: 8 })]),
      },
      {
        name: 'a signature and a citation',
        head: FRAMES,
        body: Buffer.concat([
          deltaFrame({ reasoningContent: { signature: 'x' } }),
          deltaFrame({ citation: { title: 'x' } }),
        ]),
      },
    ],
    framed: (json) => frame({ ':event-type': 'metadata', ':message-type': 'event' }, json),
  });
});

describe('a streamed answer of Converse', () => {
  it('has its text, its reason, its usage and its time', () => {
    const { log, complete, streamed } = read(...PLAIN);
    expect([log.text(), complete, streamed, log.degradations]).toEqual(['Hello', true, true, []]);
    expect(log.of('choiceEnded')).toEqual([{ kind: 'choiceEnded', choice: 0, reason: 'end_turn' }]);
    expect([log.merged, log.hasFinalUsage]).toEqual([{ inputTokens: 8, outputTokens: 10 }, true]);
    const timings = { queue_ms: null, prefill_ms: null, decode_ms: null, total_ms: 605 };
    expect(log.of('timings')).toEqual([{ kind: 'timings', timings }]);
  });

  it('has reasoning and tools in channels of their own', () => {
    const { log } = read(...TOOLS);
    expect([log.text('reasoning'), log.text('tool'), log.text('content')]).toEqual(['hm', 'get{"city":"Oslo"}', '']);
  });

  it('B20: keeps its usage when metadata without usage follows', () => {
    const { log } = read(...PLAIN, messageFrame('metadata', { metrics: { latencyMs: 700 } }));
    expect(log.merged).toEqual({ inputTokens: 8, outputTokens: 10 });
  });

  it('B65: is a failure when an exception comes under 200, whatever kind of frame says so', () => {
    const error = frame({ ':message-type': 'error', ':error-code': 'InternalFailure', ':error-message': 'x' }, '');
    for (const last of [exceptionFrame('modelStreamErrorException'), exceptionFrame('throttlingException'), error]) {
      const { log, complete } = read(...PLAIN.slice(0, 3), last);
      expect([log.of('failed').length, complete, log.text()]).toEqual([1, false, 'Hello']);
    }
  });

  it('is not whole before its messageStop', () => {
    const whole = PLAIN.map((_, kept) => read(...PLAIN.slice(0, kept)).complete);
    expect(whole).toEqual([false, false, false, false, false, true]);
  });

  it('goes on behind a damaged frame, which is reported', () => {
    const damaged = Buffer.from(deltaFrame({ text: 'x' }));
    damaged[damaged.length - 20] = 0;
    const { log, complete } = read(...PLAIN.slice(0, 2), damaged, ...PLAIN.slice(2));
    expect([log.text(), log.degradations, complete]).toEqual(['Hello', ['unparsed_event'], true]);
  });

  it('goes on behind a frame whose payload is no JSON', () => {
    const { log } = read(
      frame({ ':message-type': 'event' }, 'no json'),
      frame({ ':message-type': 'event' }, ''),
      ...PLAIN,
    );
    expect([log.text(), log.degradations]).toEqual(['Hello', ['unparsed_event']]);
  });

  it('goes on behind a frame that is too large', () => {
    const bytes = Buffer.concat([deltaFrame({ text: 'x'.repeat(400) }), ...PLAIN]);
    const { log } = readAnswer(bedrockConverse, [bytes], { head: FRAMES, eventBytes: 300 });
    expect([log.text(), log.degradations]).toEqual(['Hello', ['event_too_large']]);
  });
});

describe('an unstreamed answer of Converse', () => {
  it('has all that a stream has', () => {
    const { log, complete, streamed } = readBody(BODY);
    expect([log.text('reasoning'), log.text('content'), log.text('tool')]).toEqual(['hm', 'é🌍', 'get{"city":"Oslo"}']);
    expect([complete, streamed, log.of('timings').length]).toEqual([true, false, 1]);
  });
});

describe('the input', () => {
  const merged = (usage: unknown) => readBody({ usage }).log.merged;

  it('B13: includes what was read from and written to the cache', () => {
    expect(readBody(BODY).log.merged).toEqual({
      inputTokens: 1203,
      cachedInputTokens: 1000,
      cacheWriteInputTokens: 200,
      outputTokens: 9,
    });
  });

  it('includes it already where the total says so', () => {
    const usage = { inputTokens: 100, outputTokens: 5, totalTokens: 105, cacheReadInputTokens: 60 };
    expect(merged(usage)).toEqual({ inputTokens: 100, cachedInputTokens: 60, outputTokens: 5 });
  });

  it('is not said where only the cache is', () => {
    expect(merged({ cacheReadInputTokens: 60, outputTokens: 5 })).toEqual({ cachedInputTokens: 60, outputTokens: 5 });
    expect(merged({ cacheReadInputTokens: 60 })).toEqual({});
  });
});

describe('the path', () => {
  it.each([
    ['/model/amazon.titan-text-lite-v1/converse', 'amazon.titan-text-lite-v1', false],
    ['/model/us.amazon.nova-2-lite-v1:0/converse-stream', 'us.amazon.nova-2-lite-v1:0', true],
    ['/bedrock/model/a%3Ab/converse-stream/', 'a:b', true],
    [
      '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.x/converse',
      'arn:aws:bedrock:us-east-1:1:inference-profile/us.x',
      false,
    ],
    ['/model/%zz/converse', '%zz', false],
  ])('%s names %s', (path, modelFromPath, streamsByDefault) => {
    const expected = { api: 'bedrock.converse', generation: true, modelFromPath, streamsByDefault };
    expect(endpointOf('POST', path)).toMatchObject(expected);
  });

  it.each(['/converse', '/model//converse', '/models/a/converse', '/model/a/xconverse', '/model/a/converse/b'])(
    '%s is another',
    (path) => {
      expect(endpointOf('POST', path).api).toBe('other');
    },
  );
});
