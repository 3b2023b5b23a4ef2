import { expect, test } from 'vitest';
import { Routes } from '../../../src/gateway/routes.ts';
import { Upstreams } from '../../../src/gateway/upstreams.ts';
import { UpstreamStatus } from '../../../src/ledger/upstream-status.ts';
import { configOf } from '../../helpers/gateway.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';

/** Whether an upstream with this model glob takes a request for that model. */
function takes(glob: string, model: string): boolean {
  const clock = new ManualClock();
  const upstreams = new Upstreams({
    clock,
    statusOf: (name) => new UpstreamStatus(name, clock),
    onUsageAsk: () => {},
  });
  const configured = upstreams.replace(configOf({ url: 'http://127.0.0.1:9', match: { model: glob } }).upstreams);
  return new Routes(configured).find('/', undefined, model) !== null;
}

test.each([
  ['llama-3.1*', 'llama-3.1-8b', true],
  ['llama-3.1*', 'llama-3x1-8b', false],
  ['*/llama', 'meta/llama', true],
  ['gpt-?', 'gpt-4', true],
  ['gpt-?', 'gpt-', false],
  ['m', 'M', false],
  ['a(b)[c]', 'a(b)[c]', true],
  ['*', 'multi\nline', true],
])('the glob %s and the model %j', (glob, model, expected) => {
  expect(takes(glob, model)).toBe(expected);
});

test('a name of many thousand characters matches no glob, instead of holding everybody up', () => {
  expect(takes('*a*a*a*a*b', 'a'.repeat(100_000))).toBe(false);
});
