import { describe, expect, it } from 'vitest';
import { curvesJson } from '../../../src/curve/curve-json.ts';
import { unlikeLengths } from '../../../src/curve/length-classes.ts';
import { maxUnderAll, maxUnderSlo } from '../../../src/curve/max-under-slo.ts';
import { OperatingCurve } from '../../../src/curve/operating-curve.ts';
import { saturation } from '../../../src/curve/saturation.ts';
import { SeriesFigures } from '../../../src/curve/series-figures.ts';
import { workloadTargets } from '../../../src/curve/targets.ts';
import { curveBin } from '../../helpers/curve-bins.ts';
import { configOf } from '../../helpers/recorder.ts';

const CHAT = { workload: 'chat', ttftMs: 500, minSpeed: null };

const RISING = [
  curveBin({ concurrency: 1, tokensPerSecond: 100, ttftMs: 80 }),
  curveBin({ concurrency: 8, tokensPerSecond: 500, ttftMs: 150 }),
  curveBin({ concurrency: 24, tokensPerSecond: 900, ttftMs: 400 }),
  curveBin({ concurrency: 32, tokensPerSecond: 930, ttftMs: 1_200 }),
  curveBin({ concurrency: 48, tokensPerSecond: 935, ttftMs: 2_900 }),
];

describe('max throughput under SLO', () => {
  it('is that of the highest bin that meets the targets', () => {
    expect(maxUnderSlo(RISING, CHAT)?.bin.concurrency).toBe(24);
    expect(maxUnderSlo(RISING, { ...CHAT, ttftMs: 50 })).toBeNull();
  });

  it.each([
    ['fewer than 30 windows', { windows: 29 }],
    ['fewer than 200 first tokens', { firstTokens: 199 }],
  ])('takes no bin with %s', (_, few) => {
    const bins = [...RISING.slice(0, 2), curveBin({ concurrency: 24, tokensPerSecond: 900, ttftMs: 400, ...few })];
    expect(maxUnderSlo(bins, CHAT)?.bin.concurrency).toBe(8);
  });

  it('is never a maximum over single windows', () => {
    const lucky = curveBin({ concurrency: 12, tokensPerSecond: 600 });
    lucky.throughput.add(5_000, 3);
    const found = maxUnderSlo([lucky, curveBin({ concurrency: 16, tokensPerSecond: 700 })], CHAT);
    expect(found?.bin.concurrency).toBe(16);
  });

  it('judges TPOT by the speed that 95 % of the requests have', () => {
    const bins = [
      curveBin({ concurrency: 8, tokensPerSecond: 500, speed: 60 }),
      curveBin({ concurrency: 24, tokensPerSecond: 900, speed: 35 }),
    ];
    expect(maxUnderSlo(bins, { workload: 'chat', ttftMs: null, minSpeed: 40 })?.bin.concurrency).toBe(8);
  });

  it.each([100, 200, 250, 300, 400, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000])(
    'a target of %i ms that every request keeps to the millisecond is kept, and one missed by 2 percent is not',
    (ttftMs) => {
      const at = (times: number) => [curveBin({ concurrency: 8, tokensPerSecond: 500, ttftMs: ttftMs * times })];
      expect(maxUnderSlo(at(1), { ...CHAT, ttftMs })).not.toBeNull();
      expect(maxUnderSlo(at(1.02), { ...CHAT, ttftMs })).toBeNull();
    },
  );

  it.each([10, 20, 25, 30, 40, 50, 100])(
    'a TPOT of %i ms that every request has is kept, and one of 2 percent more is not',
    (tpotMs) => {
      const at = (times: number) => [
        curveBin({ concurrency: 8, tokensPerSecond: 500, speed: 1_000 / (tpotMs * times) }),
      ];
      const targets = { workload: 'chat', ttftMs: null, minSpeed: 1_000 / tpotMs };
      expect(maxUnderSlo(at(1), targets)).not.toBeNull();
      expect(maxUnderSlo(at(1.02), targets)).toBeNull();
    },
  );

  it('is never that of windows in most of which no token came', () => {
    expect(maxUnderSlo([curveBin({ concurrency: 8, tokensPerSecond: 0 })], CHAT)).toBeNull();
  });

  it('reads the targets of the workloads that have them', () => {
    const yaml = `{ upstreams: [ { name: a, url: "http://127.0.0.1:1" } ], workloads: [
      { name: chat, slo: { ttft: 500ms, tpot: 40ms }, match: { header: { x: "1" } } },
      { name: fast, slo: { speed: 30 }, match: { header: { x: "2" } } },
      { name: batch, slo: { e2e: 1h } } ] }`;
    expect(workloadTargets(configOf(yaml).workloads)).toEqual([
      { workload: 'chat', ttftMs: 500, minSpeed: 25 },
      { workload: 'fast', ttftMs: null, minSpeed: 30 },
    ]);
  });

  it('for several workloads is the bin that all of them keep, those apart that nobody can tell of', () => {
    const strict = { workload: 'strict', ttftMs: 100, minSpeed: null };
    const absent = { workload: 'absent', ttftMs: 1, minSpeed: null };
    const mixed = RISING.map((bin) => {
      const ttftMs = bin.concurrency <= 8 ? 60 : 300;
      const other = curveBin({ concurrency: bin.concurrency, tokensPerSecond: 1, workload: 'strict', ttftMs });
      for (const [key, series] of other.seriesByName) bin.seriesByName.set(key, series);
      return bin;
    });
    expect(maxUnderAll(mixed, [CHAT, strict, absent])?.concurrency).toBe(8);
    expect(maxUnderAll(mixed, [CHAT, absent])?.concurrency).toBe(24);
    expect(maxUnderAll(mixed, [])).toBeNull();
  });
});

describe('saturation', () => {
  it('is where concurrency grows and throughput does not', () => {
    expect(saturation(RISING)?.concurrency).toBe(24);
  });

  it('is not known while throughput still grows where the data ends', () => {
    expect(saturation(RISING.slice(0, 3))).toBeNull();
    expect(saturation([])).toBeNull();
  });
});

describe('unlike lengths', () => {
  it('are said, never mixed in silence', () => {
    const bins = [
      curveBin({ concurrency: 4, tokensPerSecond: 300, input: 300 }),
      curveBin({ concurrency: 32, tokensPerSecond: 900, input: 4_000 }),
    ];
    expect(unlikeLengths(bins)).toEqual([
      expect.stringMatching(/^unlike input lengths: the median is \d+ tokens at concurrency 4 and \d+ at 32$/),
    ]);
    expect(unlikeLengths(RISING)).toEqual([]);
  });
});

describe('a curve that is remembered', () => {
  const DAY_MS = 86_400_000;
  const NOW_MS = Date.UTC(2026, 0, 2);
  const window = (tokensPerSecond: number) => ({ concurrency: 8, tokensPerSecond, series: [] });

  it('fades by half in a week', () => {
    const curve = new OperatingCurve();
    for (let count = 0; count < 100; count += 1) curve.add(window(500), NOW_MS);
    expect(curve.bins(NOW_MS + 7 * DAY_MS)[0]?.windows).toBeCloseTo(50);
    expect(curve.bins(NOW_MS + 365 * DAY_MS)).toEqual([]);
  });

  it('follows a changed engine within hours of work, however long it knew the old one', () => {
    const curve = new OperatingCurve();
    for (let count = 0; count < 20_000; count += 1) curve.add(window(500), 0);
    for (let count = 0; count < 1_440; count += 1) curve.add(window(800), 0);
    const [bin] = curve.bins(0);
    expect(bin?.windows).toBeCloseTo(1_000);
    expect(bin?.throughput.quantile(0.5)).toBeCloseTo(800, -1);
  });

  it('a wall clock that is set back, and corrected, takes nothing away', () => {
    const curve = new OperatingCurve();
    curve.add(window(500), NOW_MS);
    expect(curve.bins(NOW_MS - 28 * DAY_MS)[0]?.windows).toBe(1);
    expect(curve.bins(NOW_MS)[0]?.windows).toBe(1);
    expect(curve.bins(NOW_MS + DAY_MS)[0]?.windows).toBeLessThan(1);
  });
});

describe('/api/operating-curve', () => {
  it('has the fields of the contract, quantiles in tokens per second, seconds and tokens', () => {
    const bin = curveBin({ concurrency: 8, tokensPerSecond: 500, ttftMs: 250 });
    bin.seriesByName.set('other', new SeriesFigures({ model: 'silent', workload: 'batch' }));
    const known = { upstream: 'a', conditions: { gpu: 'H100' }, gpus: 2, bins: [bin] };
    const [curve] = curvesJson([known], [CHAT]).curves;
    expect(curve).toMatchObject({ upstream: 'a', conditions: { gpu: 'H100' }, scope: 'process', saturation: null });
    expect(curve?.bins[0]).toMatchObject({ concurrency: 8, windows: 100 });
    expect(curve?.bins[0]?.throughput?.p50).toBeCloseTo(500, -1);
    const [chat, silent] = curve?.bins[0]?.models ?? [];
    expect(chat).toMatchObject({ model: 'tiny', workload: 'chat', gap: null });
    expect(chat?.ttft?.p95).toBeCloseTo(0.25, 2);
    expect(Object.keys(chat ?? {})).toEqual(
      expect.arrayContaining(['model', 'workload', 'speed', 'ttft', 'gap', 'input_tokens', 'output_tokens']),
    );
    expect(silent).toMatchObject({ speed: null, ttft: null, input_tokens: null });
    expect(curve?.max_under_slo).toMatchObject({ concurrency: 8, windows: 100, workloads: [{ workload: 'chat' }] });
  });

  it('is empty, not wrong, before the first window', () => {
    const known = { upstream: 'a', conditions: {}, gpus: null, bins: [] };
    expect(curvesJson([known], [CHAT]).curves[0]).toMatchObject({ bins: [], max_under_slo: null, notes: [] });
  });
});
