import { describe, expect, it } from 'vitest';
import { answerPlanQuery } from '../../../src/plan/plan-query.ts';

const answer = (query: string) => answerPlanQuery(new URLSearchParams(query), (ask) => ask);

describe('/api/plan', () => {
  it.each([
    ['tokens_per_day=1e8&ttft_slo=0.5', { tokensPerDay: 1e8, ttftSloSeconds: 0.5 }],
    ['tokens_per_day=1000', { tokensPerDay: 1_000, ttftSloSeconds: null }],
  ])('understands %s', (query, ask) => {
    expect(answer(query)).toEqual({ status: 200, body: ask });
  });

  it.each([
    ['', 'tokens_per_day: expected output tokens per day, got nothing'],
    ['tokens_per_day=', 'tokens_per_day: expected a number of tokens above 0, got ""'],
    ['tokens_per_day=-1', 'got "-1"'],
    ['tokens_per_day=0x10', 'got "0x10"'],
    ['tokens_per_day=1e999', 'got "1e999"'],
    ['tokens_per_day=NaN', 'got "NaN"'],
    ['tokens_per_day=1&ttft_slo=2s', 'ttft_slo: expected a number of seconds above 0, got "2s"'],
    ['tokens_per_day=1&ttft=2', 'expected tokens_per_day and ttft_slo only, got "ttft"'],
  ])('refuses %j with one sentence', (query, sentence) => {
    expect(answer(query)).toEqual({ status: 400, body: { error: expect.stringContaining(sentence) } });
  });
});
