import { describe, expect, it } from 'vitest';
import { type Curve, curvePoints, curveSeries, seriesKey } from '../../../src/page/curve/curve-points.ts';
import { EMPTY_SCENE, nearest, speedNow, speedRange, throughputRange } from '../../../src/page/curve/curve-scene.ts';
import { curveSummary, maxSentence } from '../../../src/page/curve/curve-words.ts';
import { modelWith, upstreamWith } from '../../helpers/page-snapshot.ts';

const spread = (p50: number) => ({ p5: p50 / 2, p50, p95: p50 * 2 });

interface Bin {
  concurrency: number;
  speed: number | null;
  firstTokens?: number;
  workload?: string;
  windows?: number;
}

function bin({ concurrency, speed, firstTokens = 10, workload = 'chat', windows = 40 }: Bin): Curve['bins'][number] {
  const series = {
    model: 'm',
    workload,
    speed: speed === null ? null : spread(speed),
    characters_per_second: null,
    ttft: spread(0.2),
    gap: null,
    input_tokens: null,
    output_tokens: null,
    first_tokens: firstTokens,
  };
  return { concurrency, throughput: spread(concurrency * 10), windows, models: [series] };
}

function curve(bins: Curve['bins'], given: Partial<Curve> = {}): Curve {
  return {
    upstream: 'a',
    conditions: {},
    gpus: null,
    scope: 'process',
    bins,
    max_under_slo: null,
    saturation: null,
    notes: [],
    ...given,
  };
}

const CHAT = { upstream: 'a', model: 'm', workload: 'chat' };

describe('the operating curve', () => {
  it('is of a series that has a speed, the busiest first', () => {
    const answer = {
      curves: [
        curve([
          bin({ concurrency: 1, speed: 50, firstTokens: 5, workload: 'few' }),
          bin({ concurrency: 2, speed: 40, firstTokens: 90, workload: 'many' }),
          bin({ concurrency: 4, speed: null, firstTokens: 900, workload: 'unstreamed' }),
        ]),
      ],
    };
    expect(curveSeries(answer).map(seriesKey)).toEqual(['a · m · many', 'a · m · few']);
  });

  it('has a point for each bin with a figure on both axes, hollow where too little was observed', () => {
    const points = curvePoints(
      curve([
        bin({ concurrency: 1, speed: 50 }),
        bin({ concurrency: 2, speed: null }),
        bin({ concurrency: 4, speed: 30, windows: 29 }),
      ]),
      CHAT,
    );
    expect(
      points.map(({ concurrency, throughput, speed, isFirm }) => [concurrency, throughput, speed, isFirm]),
    ).toEqual([
      [1, 10, 50, true],
      [4, 40, 30, false],
    ]);
  });

  it('says what is known of the most under SLO, and what it would take to know', () => {
    expect(maxSentence(curve([bin({ concurrency: 1, speed: 50, windows: 3 })]))).toContain(
      '(3 windows so far, of all)',
    );
    const most = { concurrency: 8, throughput: spread(900), windows: 1, workloads: [] };
    expect(maxSentence(curve([], { max_under_slo: most }))).toBe('Max under SLO: 900 tok/s at 8 at once (1 window)');
  });

  it('is told in words to who does not see it', () => {
    const one = curve([bin({ concurrency: 1, speed: 50 }), bin({ concurrency: 8, speed: 20 })]);
    expect(curveSummary(one, curvePoints(one, CHAT))).toMatch(/From 1 at once: .* to 8 at once: 80.0 tok\/s in all/);
    expect(curveSummary(one, [])).toContain('nothing was observed yet');
  });

  it('the axes begin at zero and hold the SLO line and the present', () => {
    expect(throughputRange(EMPTY_SCENE)).toEqual([0, 1]);
    expect(speedRange({ ...EMPTY_SCENE, leastSpeed: 40, now: { throughput: 10, speed: 20 } })[1]).toBeCloseTo(44);
  });

  it('a pointer means the nearest point, if it is near', () => {
    expect(nearest([5, 20, 90], (x) => Math.abs(x - 17))).toBe(20);
    expect(nearest([90], (x) => Math.abs(x - 17))).toBeNull();
  });
});

describe('where the upstream stands on its curve', () => {
  const model = { model: 'm', speed: spread(60) };
  const upstreams = (count: number) => Array.from({ length: count }, (_, index) => upstreamWith({ name: `u${index}` }));
  const running_speed = { p10: 20, p50: 30 };

  it('is by the streams that run, where they are all its own', () => {
    expect(speedNow({ upstreams: upstreams(1), running_speed }, { models: [modelWith(model)] }, 'm')).toBe(30);
  });

  it('is by what ended of late where other streams run as well, or none', () => {
    expect(speedNow({ upstreams: upstreams(2), running_speed }, { models: [modelWith(model)] }, 'm')).toBe(60);
    expect(speedNow({ upstreams: upstreams(1), running_speed: null }, { models: [modelWith(model)] }, 'm')).toBe(60);
    expect(speedNow({ upstreams: upstreams(2), running_speed }, { models: [modelWith(model)] }, 'other')).toBeNull();
  });
});
