import { describe, expect, it } from 'vitest';
import { geminiInteractions } from '../../../src/wire/dialects/gemini-interactions.ts';
import { endpointOf } from '../../../src/wire/registry.ts';
import { EVENT_STREAM, JSON_BODY, type ReadAnswer, readAnswer } from '../../helpers/fact-log.ts';
import { cutStream, stream } from '../../helpers/openai-chunks.ts';
import { dialectLaws } from './laws.ts';

type Json = Record<string, unknown>;

const read = (...messages: Json[]): ReadAnswer => readAnswer(geminiInteractions, [Buffer.from(cutStream(...messages))]);
const readBody = (body: Json): ReadAnswer =>
  readAnswer(geminiInteractions, [Buffer.from(JSON.stringify(body))], { head: JSON_BODY });

const USAGE = {
  usage: {
    total_tokens: 328,
    total_input_tokens: 266,
    total_cached_tokens: 100,
    total_output_tokens: 3,
    total_tool_use_tokens: 2,
    total_thought_tokens: 57,
  },
};
const COUNTS = { inputTokens: 268, cachedInputTokens: 100, outputTokens: 60, reasoningTokens: 57 };

const created = { event_type: 'interaction.created', interaction: { status: 'in_progress', model: 'm' } };
const completed = (status: string, rest: Json = USAGE): Json => ({
  event_type: 'interaction.completed',
  interaction: { status, model: 'm', ...rest },
});
const step = (type: string, rest: Json = {}): Json => ({ event_type: 'step.start', index: 0, step: { type, ...rest } });
const delta = (delta: Json): Json => ({ event_type: 'step.delta', index: 0, delta });

const PLAIN = [
  created,
  { event_type: 'interaction.status_update', status: 'in_progress' },
  step('thought'),
  delta({ type: 'thought_signature', signature: 'CiQB' }),
  { event_type: 'step.stop', index: 0 },
  step('model_output'),
  delta({ type: 'text', text: 'Hel' }),
  delta({ type: 'text', text: 'lo' }),
];
const BODY = {
  status: 'completed',
  model: 'm',
  ...USAGE,
  steps: [
    { type: 'thought', signature: 'CosC', summary: [{ type: 'text', text: 'short' }] },
    { type: 'function_call', name: 'get', arguments: { city: 'Oslo' } },
    { type: 'google_search_result', result: [{ text: 'found' }] },
    { type: 'model_output', content: [{ type: 'text', text: 'Hello' }] },
  ],
};

describe('the laws of a dialect, for gemini.interactions', () => {
  dialectLaws(geminiInteractions, {
    answers: [
      { name: 'steps', head: EVENT_STREAM, body: stream(...PLAIN, completed('completed')) },
      { name: 'one body', head: JSON_BODY, body: JSON.stringify(BODY) },
    ],
    withoutOutput: [
      {
        name: 'a thought that stays hidden',
        head: EVENT_STREAM,
        body: stream(...PLAIN.slice(0, 6), completed('failed')),
      },
    ],
  });
});

describe('an interaction', () => {
  it.each([
    ['text', delta({ type: 'text', text: 'x' }), 'content'],
    ['a summary of thoughts', delta({ type: 'thought_summary', content: { type: 'text', text: 'x' } }), 'summary'],
    ['a function’s name', step('function_call', { name: 'x', arguments: {} }), 'tool'],
    ['its arguments', delta({ type: 'arguments_delta', arguments: 'x' }), 'tool'],
    ['a picture', delta({ type: 'image', mime_type: 'image/png', data: 'x' }), 'audio'],
    ['text of an older event', { event_type: 'content.delta', delta: { type: 'text', text: 'x' } }, 'content'],
  ])('gives %s', (_name, event, channel) => {
    expect(read(event).log.of('output')).toEqual([{ kind: 'output', choice: 0, channel, text: 'x' }]);
  });

  it('counts thoughts apart from its output, and tools apart from its input', () => {
    const { log, complete } = read(...PLAIN, completed('completed'));
    expect([log.text('content'), log.merged, log.hasFinalUsage, complete]).toEqual(['Hello', COUNTS, true, true]);
  });

  it('is not over before it says so', () => {
    expect(read(...PLAIN).complete).toBe(false);
  });

  it.each([
    ['completed', false],
    ['incomplete', false],
    ['requires_action', false],
    ['failed', true],
  ])('ends %s', (status, failed) => {
    const { log } = read(...PLAIN, completed(status));
    expect([log.of('choiceEnded')[0]?.reason, log.of('failed').length > 0]).toEqual([status, failed]);
  });

  it('that was not streamed has its steps in one body', () => {
    const { log } = readBody(BODY);
    expect([log.text('summary'), log.text('tool'), log.text('content'), log.merged]).toEqual([
      'short',
      'get{"city":"Oslo"}',
      'Hello',
      COUNTS,
    ]);
  });

  it('is POST …/interactions', () => {
    expect(endpointOf('POST', '/v1beta/interactions')).toMatchObject({ api: 'gemini.interactions', generation: true });
    expect(endpointOf('GET', '/v1beta/interactions/v1_abc').api).toBe('other');
  });
});
