import { describe, expect, it } from 'vitest';
import { planAsk, readAmount } from '../../../src/page/planner/amount.ts';
import { planConditions, planRows } from '../../../src/page/planner/plan-rows.ts';
import type { OperatingPoint } from '../../../src/plan/plan-types.ts';

const POINT: OperatingPoint = {
  concurrency: 24,
  windows: 80,
  tokens_per_second: 1_100,
  tokens_per_second_per_gpu: 1_100,
  gpus: 2,
  gpus_exact: 1.05,
  gpu_hours_per_day: 25.25,
  dollars_per_day: null,
  dollars_per_day_whole_gpus: null,
  dollars_per_million_output_tokens: null,
  reference_dollars_per_day: null,
  input_tokens_per_output_token: null,
  ttft_p95: 0.48,
  input_tokens: null,
  output_tokens: null,
  conditions: { gpu: 'H100' },
};

describe('the planner', () => {
  it('reads amounts as people write them', () => {
    for (const text of ['100000000', '100,000,000', '100 000 000', '100e6', '1e8', '100M', '100 m', '0.1G']) {
      expect(readAmount(text), text).toBe(100_000_000);
    }
    for (const text of ['', '0', '-5', 'many', '1e999', '5 x', '1.2.3', '0x10', 'M']) {
      expect(readAmount(text), text).toBeNull();
    }
  });

  it('asks with plain numbers, and without a target where none is given', () => {
    const path = (tokensPerDay: string, ttftSlo: string) => {
      const asked = planAsk({ tokensPerDay, ttftSlo });
      return asked.kind === 'ask' ? asked.path : asked.kind;
    };
    expect(path('100M', '')).toBe('api/plan?tokens_per_day=100000000');
    expect(path('100M', '0.5')).toBe('api/plan?tokens_per_day=100000000&ttft_slo=0.5');
    expect(path('', '0.5')).toBe('nothing');
    expect(path('lots', '')).toBe('fault');
    expect(planAsk({ tokensPerDay: '1', ttftSlo: 'soon' })).toMatchObject({ kind: 'fault', field: 'ttft' });
  });

  it('shows the lines on which there is a figure, and a dash where one side has none', () => {
    const rows = planRows({ upstream: 'a', model: 'm', interactive: null, batch: POINT, reason: '' });
    expect(rows.map(({ title, interactive, batch }) => [title, interactive, batch])).toEqual([
      ['GPUs', '–', '2 (1.05)'],
      ['GPU-hours a day', '–', '25.3'],
      ['Tok/s of one GPU', '–', '1,100'],
      ['At concurrency', '–', '24'],
      ['TTFT p95', '–', '480 ms'],
      ['Windows behind it', '–', '80'],
    ]);
  });

  it('states the conditions it rests on, one by one', () => {
    const plan = { upstream: 'a', model: 'm', interactive: POINT, batch: null, reason: 'observed at 1; no price' };
    expect(planConditions(plan)).toEqual(['conditions: gpu H100', 'observed at 1', 'no price']);
  });
});
