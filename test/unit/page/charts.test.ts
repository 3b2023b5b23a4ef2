import { describe, expect, it } from 'vitest';
import type { SloSnapshot } from '../../../src/live/snapshot-type.ts';
import { CHART_SPECS, leastSpeed } from '../../../src/page/charts/chart-specs.ts';
import { chartSummary } from '../../../src/page/charts/chart-summary.ts';
import { isShown, verticalRange } from '../../../src/page/charts/scale.ts';
import { stacked } from '../../../src/page/charts/stacked.ts';
import { targetsOf } from '../../../src/page/charts/targets.ts';
import { Timeline } from '../../../src/page/state/timeline.ts';

const SLO: SloSnapshot = {
  workload: 'chat',
  ttft_ms: 500,
  tpot_ms: 25,
  speed: null,
  gap_ms: null,
  e2e_ms: null,
  objective: 0.99,
};

function spec(name: string) {
  const found = CHART_SPECS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no chart is called ${name}`);
  return found;
}

describe('charts', () => {
  it('parts of a stack stand on each other, and on what is unknown stands nothing', () => {
    expect(
      stacked([
        [1, 2, null],
        [10, null, 10],
        [100, 100, 100],
      ]),
    ).toEqual([
      [1, 2, null],
      [11, null, null],
      [111, null, null],
    ]);
  });

  it('the axis begins at zero, holds a target that is near, and is not stretched for one that is far', () => {
    const target = (value: number) => [{ value, label: '' }];
    expect(verticalRange(null, target(5))).toEqual([0, 1]);
    expect(verticalRange(100, [])[1]).toBeCloseTo(112);
    expect(verticalRange(100, target(250))[1]).toBeCloseTo(280);
    expect(verticalRange(100, target(301))[1]).toBeCloseTo(112);
    expect(isShown(1, 0)).toBe(false);
  });

  it('an SLO of TPOT is a line in the chart of speeds, and workloads that ask the same share one', () => {
    expect(leastSpeed(SLO)).toBe(40);
    expect(leastSpeed({ speed: 30, tpot_ms: null })).toBe(30);
    expect(leastSpeed({ speed: null, tpot_ms: null })).toBeNull();
    const both = targetsOf(spec('ttft'), [SLO, { ...SLO, workload: 'agents' }, { ...SLO, ttft_ms: null }]);
    expect(both).toEqual([{ value: 500, label: 'SLO 500 ms, chat, agents' }]);
  });

  it('the summary says what is now, between what it was, and where nothing was measured', () => {
    const timeline = new Timeline();
    const unknown = [null, null];
    timeline.restart({
      start_ms: 0,
      step_ms: 1_000,
      count: 2,
      series: {
        throughput: [100, 300],
        throughput_per_gpu: unknown,
        prefill: unknown,
        decode: unknown,
        unstreamed: unknown,
        user_speed_p10: unknown,
        user_speed_p50: unknown,
        ttft_p50_ms: unknown,
        ttft_p95_ms: unknown,
        good_requests: unknown,
        good_tokens: unknown,
      },
    });
    expect(chartSummary(spec('throughput'), timeline)).toBe(
      'System throughput, tokens per second, the last 15 minutes. all requests: 300 now, between 100 and 300, mean 200.',
    );
    expect(chartSummary(spec('ttft'), timeline)).toContain('p95: no traffic. p50: no traffic.');
  });
});
