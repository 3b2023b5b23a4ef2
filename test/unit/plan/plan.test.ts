import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CurveBin } from '../../../src/curve/operating-curve.ts';
import { SeriesFigures } from '../../../src/curve/series-figures.ts';
import { plansFor } from '../../../src/plan/plan.ts';
import { planTable } from '../../../src/plan/plan-table.ts';
import type { ObservedUpstream, Plan } from '../../../src/plan/plan-types.ts';
import { curveBin } from '../../helpers/curve-bins.ts';

const BINS = [
  curveBin({ concurrency: 1, tokensPerSecond: 100, ttftMs: 80 }),
  curveBin({ concurrency: 8, tokensPerSecond: 500, ttftMs: 150 }),
  curveBin({ concurrency: 24, tokensPerSecond: 900, ttftMs: 400 }),
  curveBin({ concurrency: 32, tokensPerSecond: 960, ttftMs: 1_200 }),
  curveBin({ concurrency: 48, tokensPerSecond: 958, ttftMs: 2_900 }),
];

function observed(change: Partial<ObservedUpstream> = {}): ObservedUpstream {
  return {
    upstream: 'a',
    conditions: { gpu: 'H100' },
    gpus: 2,
    gpuPricePerHour: 2.5,
    bins: BINS,
    targets: [{ workload: 'chat', ttftMs: 500, minSpeed: null }],
    priceOf: () => ({ input: 0.05, cachedInput: 0.05, output: 0.08 }),
    notes: [],
    ...change,
  };
}

function planOf(change: Partial<ObservedUpstream> = {}, ttftSloSeconds: number | null = null): Plan {
  const [plan] = plansFor([observed(change)], { tokensPerDay: 1e8, ttftSloSeconds });
  if (plan === undefined) throw new Error('expected a plan');
  return plan;
}

describe('a plan', () => {
  it('follows the definitions: tokens ÷ throughput of one GPU ÷ 3600, GPUs rounded up, dollars for each', () => {
    const { interactive, batch } = planOf();
    // 900 tok/s on 2 GPUs.
    expect(interactive?.tokens_per_second_per_gpu).toBeCloseTo(450, -1);
    expect(interactive?.gpu_hours_per_day).toBeCloseTo(61.7, 0);
    expect(interactive?.gpus_exact).toBeCloseTo(2.57, 1);
    expect(interactive?.gpus).toBe(4);
    expect(interactive?.dollars_per_day).toBeCloseTo(154, -1);
    expect(interactive?.dollars_per_day_whole_gpus).toBe(240);
    expect(interactive?.dollars_per_million_output_tokens).toBeCloseTo(1.54, 1);
    expect(interactive).toMatchObject({ concurrency: 24, windows: 100, conditions: { gpu: 'H100' } });
    expect(batch).toMatchObject({ concurrency: 32 });
    expect(batch?.gpu_hours_per_day).toBeLessThan(interactive?.gpu_hours_per_day ?? 0);
  });

  it('compares with the reference price of the same tokens, the input that comes with them included', () => {
    const { interactive } = planOf();
    // Four tokens in for each one out.
    expect(interactive?.input_tokens_per_output_token).toBe(4);
    expect(interactive?.reference_dollars_per_day).toBeCloseTo(100 * 0.08 + 400 * 0.05);
    expect(planOf({ priceOf: () => null }).interactive?.reference_dollars_per_day).toBeNull();
  });

  it('a TTFT that is asked for takes the place of the configured one', () => {
    expect(planOf({}, 2).interactive?.concurrency).toBe(32);
    expect(planOf({}, 0.1).interactive?.concurrency).toBe(1);
    expect(planOf({ targets: [] }, 0.2).interactive?.concurrency).toBe(8);
  });

  it('refuses where the target was met nowhere, and says how far the data reaches', () => {
    const plan = planOf({ bins: BINS.slice(1) }, 0.1);
    expect(plan.interactive).toBeNull();
    expect(plan.batch).not.toBeNull();
    expect(plan.reason).toContain('observed at concurrency 8 to 48 (400 windows)');
    expect(plan.reason).toContain(
      'a TTFT of 0.1 s for 95 % of the requests is not met at any observed concurrency, 8 being',
    );
  });

  it('promises no more than the highest concurrency that was observed', () => {
    const plan = planOf({ bins: BINS.slice(0, 3) });
    expect(plan.interactive?.concurrency).toBe(24);
    expect(plan.reason).toContain(
      'the SLO is still met at 24, the highest concurrency that was observed for long enough',
    );
    expect(plan.reason).toContain('throughput still grows at 24');
  });

  it('never answers with what was not observed, whatever is asked', () => {
    const sketch = fc.record({
      tokensPerSecond: fc.double({ min: 1, max: 5_000, noNaN: true }),
      ttftMs: fc.double({ min: 10, max: 20_000, noNaN: true }),
      windows: fc.integer({ min: 1, max: 200 }),
      firstTokens: fc.integer({ min: 0, max: 2_000 }),
    });
    const slo = fc.option(fc.double({ min: 0.01, max: 30, noNaN: true }));
    fc.assert(
      fc.property(fc.array(sketch, { minLength: 1, maxLength: 5 }), slo, (sketches, ttftSloSeconds) => {
        const bins = sketches.map((one, index) => curveBin({ ...one, concurrency: 2 ** index }));
        const { interactive, batch } = planOf({ bins }, ttftSloSeconds);
        const binAt = (concurrency: number | undefined) => bins.find((bin) => bin.concurrency === concurrency);
        expect(binAt(batch?.concurrency)).toBeDefined();
        const allowed = binAt(interactive?.concurrency);
        if (interactive === null) return;
        expect(allowed?.windows).toBeGreaterThanOrEqual(30);
        const [series] = allowed?.series ?? [];
        expect(series?.firstTokens).toBeGreaterThanOrEqual(200);
        const asked = (ttftSloSeconds ?? 0.5) * 1000;
        expect(series?.bins.ttft.quantileBin(0.95)?.from).toBeLessThanOrEqual(asked * 1.000001);
        for (const value of Object.values(interactive))
          if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true);
      }),
    );
  });

  it('knows GPUs in the number in which they come: 8 of one upstream are not 3', () => {
    const { batch, reason } = planOf({ gpus: 8 });
    // 958 tok/s of 8 GPUs: 9.67 are needed.
    expect(batch?.gpus_exact).toBeCloseTo(9.67, 1);
    expect(batch?.gpus).toBe(16);
    expect(batch?.dollars_per_day_whole_gpus).toBe(16 * 24 * 2.5);
    expect(reason).toContain('the GPUs of this upstream come 8 at a time');
    expect(planOf({ gpus: 1 }).reason).not.toContain('at a time');
  });

  it.each([
    ['no token came in most of the windows', [0, 0, 500]],
    ['the windows are too unlike', [10, 10, 500]],
  ])('refuses where %s', (reason, rates) => {
    const bin = curveBin({ concurrency: 4, tokensPerSecond: rates[0] ?? 0 });
    for (const rate of rates.slice(1)) bin.throughput.add(rate, 60);
    const plan = planOf({ bins: [bin] });
    expect(plan).toMatchObject({ interactive: null, batch: null });
    expect(plan.reason).toContain(reason);
  });

  it('of a concurrency whose windows are unlike takes another', () => {
    const unlike = curveBin({ concurrency: 64, tokensPerSecond: 1_000 });
    unlike.throughput.add(9_000, 60);
    const plan = planOf({ bins: [...BINS, unlike] });
    expect(plan.batch?.concurrency).toBe(32);
    expect(plan.reason).toContain('too unlike at concurrency 64');
  });

  it('is made of no model without output tokens: embeddings need none', () => {
    const bin = curveBin({ concurrency: 4, tokensPerSecond: 300 });
    const embeddings = new SeriesFigures({ model: 'embedding', workload: '' });
    embeddings.bins.input.add(400, 1_000);
    embeddings.sums.input = 400_000;
    bin.seriesByName.set('embedding', embeddings);
    const plans = plansFor([observed({ bins: [bin] })], { tokensPerDay: 1e8, ttftSloSeconds: null });
    expect(plans.map(({ model }) => model)).toEqual(['tiny']);
    expect(plans[0]?.reason).not.toContain('embedding');
  });

  it('of one concurrency alone claims no growth', () => {
    const { reason } = planOf({ bins: BINS.slice(2, 3) });
    expect(reason).not.toContain('still grows');
    expect(reason).toContain('batch: concurrency 24 alone was observed: whether more brings more is not known');
  });

  it('batch is told however few the windows, and says how few', () => {
    const few = curveBin({ concurrency: 64, tokensPerSecond: 2_000, windows: 2, firstTokens: 10 });
    const plan = planOf({
      bins: [...BINS.slice(0, 3), few, curveBin({ concurrency: 96, tokensPerSecond: 1_000, windows: 3 })],
    });
    expect(plan.batch).toMatchObject({ concurrency: 64, windows: 2 });
    expect(plan.reason).toContain('which rests on 2 windows only');
  });

  it.each([
    ['gpus', { gpus: null }, 'gpus is not configured'],
    ['a price', { gpuPricePerHour: null }, 'gpu_price_per_hour is not configured'],
  ])('without %s has no number that would need it', (_, change, reason) => {
    const plan = planOf(change);
    expect(plan.batch).toMatchObject({ dollars_per_day: null, dollars_per_million_output_tokens: null });
    expect(plan.reason).toContain(reason);
  });

  it('without any target is batch only', () => {
    const plan = planOf({ targets: [] });
    expect(plan.interactive).toBeNull();
    expect(plan.reason).toContain('no workload of this model has a TTFT, TPOT or speed target, and none was given');
  });

  it('says what it mixes: other models, unlike lengths', () => {
    const shared = [
      curveBin({ concurrency: 4, tokensPerSecond: 300 }),
      curveBin({ concurrency: 8, tokensPerSecond: 500, model: 'large', input: 4_000 }),
    ];
    const plans = plansFor([observed({ bins: shared })], { tokensPerDay: 1e8, ttftSloSeconds: null });
    expect(plans.map(({ model }) => model)).toEqual(['large', 'tiny']);
    expect(plans[0]?.reason).toContain('that of all models on this upstream, tiny too');
    expect(
      planOf({ bins: [...BINS, curveBin({ concurrency: 64, tokensPerSecond: 960, input: 9_000 })] }).reason,
    ).toContain('unlike input lengths');
  });

  it('of nothing is none', () => {
    expect(plansFor([observed({ bins: [] as CurveBin[] })], { tokensPerDay: 1, ttftSloSeconds: null })).toEqual([]);
  });
});

describe('the table of a plan', () => {
  it('has interactive and batch side by side, and the reasons below', () => {
    const ask = { tokensPerDay: 1e8, ttftSloSeconds: 0.5 };
    expect(planTable(plansFor([observed()], ask), ask)).toMatchInlineSnapshot(`
      "100,000,000 output tokens a day, TTFT within 0.5 s for 95 %

      a · tiny · gpu=H100
                                             interactive            batch
      GPUs                                             4                4
        before rounding up                         2.571            2.421
      GPU-hours a day                              61.71            58.12
      dollars a day                              $154.30          $145.30
        for whole GPUs, all day                  $240.00          $240.00
        same tokens, reference price              $28.00           $28.00
      dollars per million output tokens            $1.54            $1.45
      output tokens/s of one GPU                   450.1              478
      concurrency of the upstream                     24               32
      TTFT p95                                  0.4001 s          1.203 s
      input tokens p5 / p50 / p95        400 / 400 / 400  400 / 400 / 400
      output tokens p5 / p50 / p95       101 / 101 / 101  101 / 101 / 101
      windows behind it                              100              100
      - observed at concurrency 1 to 48 (500 windows)
      - interactive: a TTFT of 0.5 s for 95 % of the requests is met at 24
      - batch: throughput grows no more from concurrency 32 on
      - the GPUs of this upstream come 2 at a time, so many are added at once
      "
    `);
  });

  it('shows – for what is not known, and no row in which nothing is', () => {
    const ask = { tokensPerDay: 1e8, ttftSloSeconds: null };
    const text = planTable(plansFor([observed({ targets: [], gpuPricePerHour: null, priceOf: () => null })], ask), ask);
    expect(text).toMatch(/^GPUs +– +4$/m);
    expect(text).not.toContain('dollars a day');
  });
});
