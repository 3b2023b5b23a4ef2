import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PhaseMove } from '../../../src/ledger/activity.ts';
import { Goodput } from '../../../src/live/goodput.ts';
import { PhaseCells } from '../../../src/live/phase-cells.ts';
import { pointsOf } from '../../../src/live/points.ts';
import { QuantileHistory } from '../../../src/live/quantile-history.ts';
import { RecentQuantiles } from '../../../src/live/recent.ts';
import { SecondSums } from '../../../src/live/second-sums.ts';
import { Throughput } from '../../../src/live/throughput.ts';
import { UpstreamView } from '../../../src/live/upstream-view.ts';

const START_MS = 1_000_000;
const START_S = START_MS / 1_000;

function newPoints(gpus: ReadonlyMap<string, number> = new Map(), isJudged = true) {
  const throughput = new Throughput();
  const parts = {
    throughput,
    upstreams: new UpstreamView({
      throughput,
      configured: () => [],
      costOf: () => null,
      curveOf: () => ({ saturation: null, maxUnderSlo: [] }),
    }),
    speeds: new QuantileHistory(0.1, [0.1, 0.5]),
    firstTokens: new QuantileHistory(0.1, [0.5, 0.95]),
    goodput: new Goodput(),
    isJudged: () => isJudged,
    gpus: () => gpus,
  };
  return { ...parts, read: (from: number, count: number) => pointsOf(parts, { from, count, startMs: 5_000 }) };
}

describe('points in time', () => {
  it('have the tokens of each second, over all upstreams and per GPU of those that have any', () => {
    const { throughput, read } = newPoints(new Map([['a', 4]]));
    throughput.windowOf('a', 'm').tokens(40, START_MS + 500);
    throughput.windowOf('a', 'n').spread(80, START_MS + 1_000, START_MS + 3_000);
    throughput.windowOf('b', 'm').tokens(7, START_MS + 2_999);
    expect(read(START_S, 4)).toMatchObject({
      start_ms: 5_000,
      step_ms: 1_000,
      count: 4,
      series: { throughput: [40, 40, 47, 0], throughput_per_gpu: [10, 10, 10, 0] },
    });
  });

  it('are null where nothing is configured or measured, and 0 where nothing came', () => {
    const { series } = newPoints(new Map(), false).read(START_S, 2);
    expect(series).toEqual({
      throughput: [0, 0],
      throughput_per_gpu: [null, null],
      prefill: [0, 0],
      decode: [0, 0],
      unstreamed: [0, 0],
      user_speed_p10: [null, null],
      user_speed_p50: [null, null],
      ttft_p50_ms: [null, null],
      ttft_p95_ms: [null, null],
      good_requests: [null, null],
      good_tokens: [null, null],
    });
  });

  it('never fall below 0 when what was counted early is corrected', () => {
    const { throughput, read } = newPoints();
    throughput.windowOf('a', 'm').tokens(10, START_MS);
    throughput.windowOf('a', 'm').spread(-8, START_MS, START_MS + 2_000);
    expect(read(START_S, 2).series.throughput).toEqual([6, 0]);
  });

  it('have the mean concurrency of each second by phase', () => {
    const { upstreams, read } = newPoints();
    const move = (move: Pick<PhaseMove, 'upstream' | 'from' | 'to'>, atMs: number) =>
      upstreams.phase({ ...move, atMs: START_MS + atMs, beganMs: START_MS });
    move({ upstream: 'a', from: null, to: 'prefill' }, 500);
    move({ upstream: 'b', from: null, to: 'prefill' }, 0);
    move({ upstream: 'a', from: 'prefill', to: 'decode' }, 1_250);
    expect(read(START_S, 3).series).toMatchObject({
      prefill: [1.5, 1.25, 1],
      decode: [0, 0.75, 1],
      unstreamed: [0, 0, 0],
    });
  });

  it('have the goodput of the minute that ends with each second', () => {
    const { goodput, read } = newPoints();
    for (const workload of ['chat', 'batch'])
      goodput.judged({ workload, isGood: true, outputTokens: 600, atMs: START_MS + 500 });
    goodput.judged({ workload: 'chat', isGood: false, outputTokens: 0, atMs: START_MS + 500 });
    const { good_requests: requests, good_tokens: tokens } = read(START_S - 1, 62).series;
    expect([requests[0], requests[1], requests[60], requests[61]]).toEqual([0, 0.03333, 0.03333, 0]);
    expect([tokens[0], tokens[1], tokens[60], tokens[61]]).toEqual([0, 20, 20, 0]);
  });
});

describe('the history of quantiles', () => {
  const seconds = fc.array(
    fc.record({ gapMs: fc.integer({ min: 0, max: 40_000 }), value: fc.integer({ min: 1, max: 1_000 }) }),
    { minLength: 1, maxLength: 30 },
  );

  it('is what was shown at the end of each second, whenever it is asked', () => {
    fc.assert(
      fc.property(seconds, (values) => {
        const history = new QuantileHistory(0.1, [0.1, 0.5]);
        const watched = new RecentQuantiles(0.1);
        const shown: (number | null)[] = [];
        let atMs = START_MS;
        const watch = (toMs: number) => {
          for (let second = START_S + shown.length; (second + 1) * 1_000 <= toMs; second += 1)
            shown.push(watched.quantiles([0.5], second * 1_000 + 999)?.[0] ?? null);
        };
        for (const { gapMs, value } of values) {
          atMs += gapMs;
          watch(atMs);
          watched.add(value, atMs);
          history.add(value, atMs);
        }
        watch(atMs + 100_000);
        const kept = shown.slice(-1_000);
        const from = START_S + shown.length - kept.length;
        expect(history.bySecond(from, kept.length)[1]).toEqual(kept);
      }),
      { numRuns: 50 },
    );
  });

  it('forgets what is older than it can hold', () => {
    const history = new QuantileHistory(0.1, [0.5]);
    history.add(5, START_MS);
    expect(history.bySecond(START_S, 1)[0]?.[0]).toBeCloseTo(5, 1);
    expect(history.bySecond(START_S + 1_024, 2)[0]).toEqual([null, null]);
    expect(history.now(START_MS + 2_000_000)).toBeNull();
  });
});

describe('sums over the minute that ends with each second', () => {
  it('are those that were shown then', () => {
    const added = fc.array(
      fc.record({ gapMs: fc.integer({ min: 0, max: 20_000 }), value: fc.integer({ min: -9, max: 9 }) }),
      {
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(added, (values) => {
        const sums = new SecondSums(1, 1_060);
        let atMs = START_MS;
        for (const { gapMs, value } of values) {
          atMs += gapMs;
          sums.add([value], atMs);
        }
        const end = Math.floor(atMs / 1_000) + 1;
        const rolled: number[] = [];
        sums.forEachWindow(60, { from: end - 300, seconds: 300 }, (_index, [sum = 0]) => rolled.push(sum));
        const shown = Array.from({ length: 300 }, (_, index) => sums.sums((end - 300 + index + 1) * 1_000, 60)[0]);
        expect(rolled).toEqual(shown);
      }),
      { numRuns: 50 },
    );
  });
});

describe('concurrency by second', () => {
  it('adds up to the mean of the whole', () => {
    const moves = fc.array(fc.integer({ min: 0, max: 59_999 }), { maxLength: 20 });
    fc.assert(
      fc.property(moves, moves, (begins, ends) => {
        const cells = new PhaseCells();
        for (const atMs of begins) cells.move(null, 'decode', START_MS + atMs);
        for (const atMs of ends.slice(0, begins.length)) cells.move('decode', null, START_MS + 60_000 + atMs);
        const column = () => new Float64Array(120);
        const columns = { prefill: column(), decode: column(), unstreamed: column() };
        cells.addSeconds(columns, START_S);
        const mean = columns.decode.reduce((sum, one) => sum + one, 0) / 120;
        expect(mean).toBeCloseTo(cells.mean(120, START_MS + 120_000).decode, 3);
      }),
      { numRuns: 50 },
    );
  });
});
