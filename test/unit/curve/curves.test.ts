import { describe, expect, it } from 'vitest';
import { Curves, type KnownCurve } from '../../../src/curve/curves.ts';
import { median } from '../../../src/curve/max-under-slo.ts';
import type { CurveBin } from '../../../src/curve/operating-curve.ts';
import { readState, stateText } from '../../../src/curve/state-format.ts';
import { curveBin } from '../../helpers/curve-bins.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { configOf, finishedRequest } from '../../helpers/recorder.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const upstreamsOf = (precision: string) =>
  configOf(`upstreams: [ { name: u, url: "http://127.0.0.1:1", gpus: 1, conditions: { precision: ${precision} } } ]`)
    .upstreams;
const NOTHING = configOf('upstreams: [ { name: another, url: "http://127.0.0.1:1" } ]').upstreams;

function newCurves(clock = new ManualClock()) {
  const curves = new Curves(clock, upstreamsOf('fp8'));
  return {
    clock,
    curves,
    /** An unstreamed generation that is in flight now; what it returns ends it, with this many tokens a second. */
    begin() {
      const beganMs = clock.nowMs();
      curves.phase({ upstream: 'u', from: null, to: 'unstreamed', atMs: beganMs, beganMs });
      return (tokensPerSecond: number) => {
        const endMs = clock.nowMs();
        const tokens = (tokensPerSecond * (endMs - beganMs)) / 1000;
        curves.activityOf('u').spread(tokens, beganMs, endMs);
        curves.phase({ upstream: 'u', from: 'unstreamed', to: null, atMs: endMs, beganMs });
        const record = { e2e_ms: endMs - beganMs, upload_ms: 0, output_tokens: tokens, ttft_ms: null, decode_ms: null };
        const labels = { upstream: 'u', model: 'm', workload: 'w' };
        curves.finished(finishedRequest(record, { endMs, labels }));
      };
    },
    /** Windows and median throughput at each concurrency, by precision. */
    told: (): Record<string, number[][]> =>
      Object.fromEntries(curves.all().map(({ conditions, bins }) => [conditions['precision'], bins.map(figures)])),
  };
}

const figures = (bin: CurveBin) => [bin.concurrency, Math.round(bin.windows), 10 * Math.round(median(bin) / 10)];

describe('a reload', () => {
  it('rewrites no past: a window belongs to the conditions in force when it began, and one across a reload to none', () => {
    const { clock, curves, begin, told } = newCurves();
    const end = begin();
    clock.advance(602_000);
    curves.configure(upstreamsOf('fp16'));
    clock.advance(58_000);
    end(100);
    clock.advance(10_000);
    expect(told()).toEqual({ fp8: [[1, 120, 100]], fp16: [[1, 11, 100]] });
  });

  it('to conditions that were there before gives each time to its own', () => {
    const { clock, curves, begin, told } = newCurves();
    const end = begin();
    for (const precision of ['fp16', 'fp8', 'fp8']) {
      clock.advance(100_000);
      curves.configure(upstreamsOf(precision));
    }
    clock.advance(100_000);
    end(100);
    clock.advance(10_000);
    // 1,000,000 ms is where a window begins, so no window lies across a reload.
    expect(told()).toEqual({ fp8: [[1, 60, 100]], fp16: [[1, 20, 100]] });
  });

  it('that takes an upstream away keeps what it did until then', () => {
    const { clock, curves, begin, told } = newCurves();
    const end = begin();
    clock.advance(100_000);
    curves.configure(NOTHING);
    clock.advance(100_000);
    end(100);
    clock.advance(10_000);
    curves.configured();
    expect(told()).toEqual({ fp8: [[1, 20, 100]] });
  });
});

describe('a request of more than an hour', () => {
  it('that hangs is no throughput of 0', () => {
    const { clock, curves, begin, told } = newCurves();
    const end = begin();
    for (let hour = 0; hour < 6; hour += 1) {
      clock.advance(HOUR_MS);
      curves.configured();
    }
    end(0);
    clock.advance(10_000);
    expect(told()).toEqual({});
  });

  it('whose tokens come at its end tells the truth of its last hour, and nothing of the time before', () => {
    const { clock, curves, begin, told } = newCurves();
    const ends = Array.from({ length: 4 }, () => begin());
    for (let minute = 0; minute < 90; minute += 1) {
      clock.advance(60_000);
      curves.configured();
    }
    for (const end of ends) end(10);
    clock.advance(10_000);
    const [[concurrency, windows, tokensPerSecond] = []] = told()['fp8'] ?? [];
    expect([concurrency, tokensPerSecond]).toEqual([4, 40]);
    expect(windows).toBeGreaterThan(700);
    expect(windows).toBeLessThanOrEqual(721);
  });
});

describe('the wall clock', () => {
  it.each([
    ['set back and corrected', [-28 * DAY_MS, 28 * DAY_MS]],
    ['set forward and corrected', [400 * DAY_MS, -400 * DAY_MS]],
    ['that was at 1970 when the machine started', [-56 * 365 * DAY_MS, 56 * 365 * DAY_MS]],
  ])('%s takes nothing away', (_, steps) => {
    const { clock, curves, begin, told } = newCurves();
    for (const step of steps) {
      const end = begin();
      clock.advance(100_000);
      end(100);
      clock.stepWall(step);
      clock.advance(10_000);
      curves.configured();
    }
    expect(told()).toEqual({ fp8: [[1, 40, 100]] });
  });

  it('that was at 1970 when a file was written does not fade it away', () => {
    const clock = new ManualClock();
    clock.stepWall(-56 * 365 * DAY_MS);
    const old = newCurves(clock);
    const end = old.begin();
    clock.advance(100_000);
    end(100);
    clock.advance(10_000);
    const text = [...stateText(old.curves.all(), clock.epochMs())].join('');
    clock.stepWall(56 * 365 * DAY_MS);
    const later = newCurves(clock);
    later.curves.restore(readState(text));
    expect(later.told()).toEqual({ fp8: [[1, 20, 100]] });
  });

  it('fades what is read from a file by the time since it was written', () => {
    const { clock, curves, told } = newCurves();
    curves.restore([known(clock.epochMs() - 7 * DAY_MS, { concurrency: 8, tokensPerSecond: 500, windows: 900 })]);
    expect(told()).toEqual({ fp8: [[8, 450, 500]] });
  });
});

describe('curves of a file', () => {
  it('join those known here bin by bin: of each the one that rests on more windows', () => {
    const { clock, curves, told } = newCurves();
    curves.restore([
      known(
        clock.epochMs(),
        { concurrency: 1, tokensPerSecond: 20, windows: 1 },
        { concurrency: 8, tokensPerSecond: 300, windows: 50 },
      ),
    ]);
    const file = known(
      clock.epochMs(),
      { concurrency: 8, tokensPerSecond: 500, windows: 900 },
      { concurrency: 16, tokensPerSecond: 800, windows: 900 },
      { concurrency: 1, tokensPerSecond: 40, windows: 0.5 },
    );
    curves.restore([file]);
    curves.restore([file]);
    expect(told()['fp8']?.map(([concurrency, windows]) => [concurrency, windows])).toEqual([
      [1, 1],
      [8, 900],
      [16, 900],
    ]);
  });
});

function known(fadedToMs: number, ...sketches: Parameters<typeof curveBin>[0][]): KnownCurve {
  const bins = sketches.map((sketch) => Object.assign(curveBin(sketch), { fadedToMs }));
  return { upstream: 'u', conditions: { precision: 'fp8' }, gpus: 1, bins };
}
