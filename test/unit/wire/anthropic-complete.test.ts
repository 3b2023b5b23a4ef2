import { describe, expect, it } from 'vitest';
import { anthropicComplete } from '../../../src/wire/dialects/anthropic-complete.ts';
import { endpointOf } from '../../../src/wire/registry.ts';
import { events, ping } from '../../helpers/anthropic-events.ts';
import { EVENT_STREAM, JSON_BODY, type ReadAnswer, readAnswer } from '../../helpers/fact-log.ts';
import { dialectLaws } from './laws.ts';

const chunk = (completion: string, reason: string | null = null): Record<string, unknown> => ({
  type: 'completion',
  id: 'compl_1',
  completion,
  stop_reason: reason,
  model: 'claude-2.1',
  stop: reason === null ? null : '\n\nHuman:',
});
const ANSWER = [chunk(' Hel'), ping, chunk('lo'), chunk('', 'stop_sequence')];

const read = (...messages: Record<string, unknown>[]): ReadAnswer =>
  readAnswer(anthropicComplete, [Buffer.from(events(...messages))]);

describe('the laws of a dialect, for anthropic.complete', () => {
  dialectLaws(anthropicComplete, {
    answers: [
      { name: 'a stream', head: EVENT_STREAM, body: events(...ANSWER).replaceAll('\n', '\r\n') },
      { name: 'one body', head: JSON_BODY, body: JSON.stringify(chunk(' é🌍', 'max_tokens')) },
    ],
    withoutOutput: [
      { name: 'ping and end', head: EVENT_STREAM, body: events(ping, chunk(''), chunk('', 'stop_sequence')) },
    ],
  });
});

describe('an answer of plain text', () => {
  it('has its text, its model and its reason, and no usage', () => {
    const { log, complete } = read(...ANSWER);
    expect([log.text(), complete, log.of('usage')]).toEqual([' Hello', true, []]);
    expect(log.of('model')).toEqual([{ kind: 'model', name: 'claude-2.1' }]);
    expect(log.of('choiceEnded')).toEqual([{ kind: 'choiceEnded', choice: 0, reason: 'stop_sequence' }]);
  });

  it('is not whole without a reason, nor by a ping alone', () => {
    expect(read(...ANSWER.slice(0, -1)).complete).toBe(false);
    expect(read(ping).complete).toBe(false);
  });

  it('may fail', () => {
    expect(read(chunk('a'), { type: 'error', error: { type: 'overloaded_error' } }).log.of('failed')).not.toEqual([]);
  });

  it('is asked for at /v1/complete', () => {
    expect(endpointOf('POST', '/v1/complete')).toMatchObject({ api: 'anthropic.complete', generation: true });
    expect(endpointOf('GET', '/v1/complete').api).toBe('other');
  });
});
