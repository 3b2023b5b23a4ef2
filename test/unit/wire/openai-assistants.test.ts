import { describe, expect, it } from 'vitest';
import { openaiAssistants } from '../../../src/wire/dialects/openai-assistants.ts';
import { endpointOf } from '../../../src/wire/registry.ts';
import { EVENT_STREAM, JSON_BODY, type ReadAnswer, readAnswer } from '../../helpers/fact-log.ts';
import { dialectLaws } from './laws.ts';

type Json = Record<string, unknown>;

const named = (event: string, message: Json): string => `event: ${event}\ndata: ${JSON.stringify(message)}\n\n`;
const run = (status: string, rest: Json = {}): string =>
  named(`thread.run.${status}`, { object: 'thread.run', model: 'm', status, usage: null, last_error: null, ...rest });
const text = (value: string): string =>
  named('thread.message.delta', {
    object: 'thread.message.delta',
    delta: { content: [{ index: 0, type: 'text', text: { value, annotations: [] } }] },
  });
const step = (...tool_calls: Json[]): string =>
  named('thread.run.step.delta', {
    object: 'thread.run.step.delta',
    delta: { step_details: { type: 'tool_calls', tool_calls } },
  });
const USAGE = { usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } };
const DONE = 'event: done\ndata: [DONE]\n\n';

const PLAIN = [run('queued'), run('in_progress'), text('Hel'), text('lo')].join('');
const CODE = step(
  { index: 0, type: 'code_interpreter', code_interpreter: { input: 'print(1)', outputs: [] } },
  { index: 0, code_interpreter: { outputs: [{ type: 'logs', logs: '1' }] } },
);
const CALL = step({ index: 0, type: 'function', function: { name: 'get', arguments: '{"a":1}', output: null } });
const MESSAGE = named('thread.message.completed', {
  object: 'thread.message',
  content: [{ type: 'text', text: { value: 'Hello' } }],
});

const read = (body: string): ReadAnswer => readAnswer(openaiAssistants, [Buffer.from(body)]);

describe('the laws of a dialect, for openai.assistants', () => {
  dialectLaws(openaiAssistants, {
    answers: [
      { name: 'plain', head: EVENT_STREAM, body: `${PLAIN}${MESSAGE}${run('completed', USAGE)}${DONE}` },
      { name: 'tools', head: EVENT_STREAM, body: `${CODE}${CALL}${run('requires_action', USAGE)}${DONE}` },
    ],
    withoutOutput: [
      { name: 'a queued run', head: EVENT_STREAM, body: `${run('queued')}${run('in_progress')}` },
      { name: 'one body', head: JSON_BODY, body: '{"object":"thread.run","status":"queued","usage":null}' },
    ],
  });
});

describe('a run', () => {
  it('comes in deltas, which the message repeats, and has the usage of all its steps at the end', () => {
    const { log, complete } = read(`${PLAIN}${MESSAGE}${run('completed', USAGE)}`);
    expect([log.text(), log.merged, log.hasFinalUsage, complete]).toEqual([
      'Hello',
      { inputTokens: 7, outputTokens: 2 },
      true,
      true,
    ]);
  });

  it('writes code and calls functions, but not what came of them', () => {
    expect(
      read(`${CODE}${CALL}`)
        .log.of('output')
        .map(({ channel, text }) => [channel, text]),
    ).toEqual([
      ['tool', 'print(1)'],
      ['tool', 'get'],
      ['tool', '{"a":1}'],
    ]);
  });

  it.each([
    { status: 'completed' },
    { status: 'requires_action' },
    { status: 'incomplete', rest: { incomplete_details: { reason: 'max_tokens' } }, reason: 'incomplete:max_tokens' },
    { status: 'failed', rest: { last_error: { code: 'rate_limit_exceeded' } }, fails: true },
    { status: 'expired', fails: true },
    { status: 'cancelled' },
  ])('ends $status', ({ status, rest, reason, fails }) => {
    const { log, complete } = read(`${PLAIN}${run(status, rest)}`);
    const ended = log.of('choiceEnded')[0]?.reason;
    expect([ended, log.of('failed').length > 0, complete]).toEqual([reason ?? status, fails ?? false, true]);
  });

  it('is not over while it runs', () => {
    expect(read(PLAIN).complete).toBe(false);
    expect(read(`${PLAIN}${DONE}`).complete).toBe(true);
  });

  it.each(['/v1/threads/runs', '/v1/threads/t_1/runs', '/openai/threads/t/runs/r/submit_tool_outputs'])(
    'is POST %s',
    (path) => {
      expect(endpointOf('POST', path)).toMatchObject({ api: 'openai.assistants', generation: true });
      expect(endpointOf('GET', path).api).toBe('other');
    },
  );

  it.each(['/v1/threads', '/v1/threads/t/messages', '/v1/threads/t/runs/r/cancel', '/runs'])('is not %s', (path) => {
    expect(endpointOf('POST', path).api).toBe('other');
  });
});
