import { expect, test } from 'vitest';
import { UsagePolicy } from '../../../src/gateway/usage-policy.ts';
import { UpstreamStatus } from '../../../src/ledger/upstream-status.ts';
import { configOf } from '../../helpers/gateway.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';

const TEN_MINUTES_MS = 600_000;

function policyFor(keys: Record<string, string> = { engine: 'vllm' }) {
  const clock = new ManualClock();
  const status = new UpstreamStatus('u0', clock);
  const results: string[] = [];
  const policy = new UsagePolicy(status, clock, (_upstream, result) => results.push(result));
  const [config] = configOf({ url: 'http://127.0.0.1:9', ...keys }).upstreams;
  if (config === undefined) throw new Error('no upstream');
  return { policy, status, clock, results, config, mayAsk: () => policy.mayAsk(config) };
}

test.each(['vllm', 'sglang', 'tgi', 'llama.cpp', 'ollama', 'openai'])('%s may be asked', (engine) => {
  expect(policyFor({ engine }).mayAsk()).toBe(true);
  expect(policyFor({ engine, usage: 'never' }).mayAsk()).toBe(false);
  expect(policyFor({ engine, metering: 'off' }).mayAsk()).toBe(false);
});

test.each(['auto', 'azure', 'mistral', 'tensorrt-llm', 'other'])(
  '%s may be asked only where always is configured',
  (engine) => {
    expect(policyFor({ engine }).mayAsk()).toBe(false);
    expect(policyFor({ engine, usage: 'always' }).mayAsk()).toBe(true);
  },
);

test('under auto, the engine is what the server showed itself to be', () => {
  const { policy, status, mayAsk } = policyFor({ engine: 'auto' });
  policy.recognised('azure');
  expect([mayAsk(), status.engine]).toEqual([false, 'azure']);
  policy.recognised('vllm');
  expect([mayAsk(), status.engine]).toEqual([true, 'vllm']);
});

test('a configured engine is not watched, a recognised one no more, and an unknown one less and less', () => {
  const configured = policyFor({ engine: 'vllm' });
  expect(configured.policy.watchesAnswer(configured.config)).toBe(false);
  const unknown = policyFor({ engine: 'auto' });
  const watched = Array.from({ length: 200 }, () => unknown.policy.watchesAnswer(unknown.config));
  expect(watched.filter(Boolean).length).toBe(20 + 4);
  unknown.policy.recognised('sglang');
  expect(unknown.policy.watchesAnswer(unknown.config)).toBe(false);
});

test('after a refusal that was served without the question, it rests for ten minutes', () => {
  const { policy, clock, results, mayAsk } = policyFor({ engine: 'other', usage: 'always' });
  policy.refused();
  expect(mayAsk()).toBe(true);
  policy.servedUnasked();
  clock.advance(TEN_MINUTES_MS - 1);
  expect(mayAsk()).toBe(false);
  clock.advance(1);
  expect([mayAsk(), results]).toEqual([true, ['refused']]);
});

test('three silent streams in a row, and it rests; any usage between them starts the count anew', () => {
  const { policy, clock, results, mayAsk } = policyFor();
  for (const hasUsage of [false, false, true, false, false]) policy.heardAsked(hasUsage);
  expect(mayAsk()).toBe(true);
  policy.heardAsked(false);
  expect(mayAsk()).toBe(false);
  clock.advance(TEN_MINUTES_MS);
  expect([mayAsk(), results.length, results.at(2), results.at(-1)]).toEqual([true, 6, 'answered', 'ignored']);
});

test('after a compressed answer it is never asked again', () => {
  const { policy, clock, results, mayAsk } = policyFor();
  policy.compressed();
  policy.servedUnasked();
  clock.advance(1_000 * TEN_MINUTES_MS);
  expect([mayAsk(), results]).toEqual([false, ['compressed']]);
});

test('a model that tells unasked is remembered until it does not, and their number is bounded', () => {
  const { policy } = policyFor();
  policy.heardUnasked('m', true);
  policy.heardUnasked(null, true);
  expect([policy.leavesUnasked('m'), policy.leavesUnasked(null), policy.leavesUnasked('n')]).toEqual([
    true,
    true,
    false,
  ]);
  policy.heardUnasked('m', false);
  expect(policy.leavesUnasked('m')).toBe(false);
  for (let model = 0; model < 5_000; model += 1) policy.heardUnasked(`m${model}`, true);
  expect(policy.leavesUnasked('m4999')).toBe(false);
});

test('now and then a stream that could be asked is not, to see whether the server tells unasked', () => {
  const { policy } = policyFor();
  const unasked = Array.from({ length: 10_000 }, (_, stream) => (policy.leavesUnasked('m') ? [stream + 1] : []));
  expect(unasked.flat()).toEqual([50, 5_050]);
  policy.heardUnasked('m', true);
  expect([policy.leavesUnasked('m'), policy.leavesUnasked('n')]).toEqual([true, false]);
});

test('the number of models whose streams are counted is bounded', () => {
  const { policy } = policyFor();
  for (let round = 0; round < 50; round += 1) {
    for (let model = 0; model < 2_000; model += 1) policy.leavesUnasked(`m${model}`);
  }
  expect([policy.leavesUnasked('m1500'), policy.leavesUnasked('m1')]).toEqual([false, false]);
});
