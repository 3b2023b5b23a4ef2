import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Points } from '../../../src/live/stream-type.ts';
import { extentOf, minutesOf } from '../../../src/page/state/minutes.ts';
import { LOOK_BACK_MS, Timeline } from '../../../src/page/state/timeline.ts';
import { NO_POINTS } from '../../helpers/no-points.ts';

/** Points of a second each; every throughput is the second it is of. */
function seconds(from: number, count: number): Points {
  const throughput = Array.from({ length: count }, (_, index) => from + index);
  const unknown = throughput.map(() => null);
  const series = Object.fromEntries(Object.keys(NO_POINTS).map((name) => [name, unknown]));
  return { start_ms: from * 1_000, step_ms: 1_000, count, series: { ...NO_POINTS, ...series, throughput } };
}

describe('the timeline', () => {
  it('points continue where the ones before left off', () => {
    const timeline = new Timeline();
    timeline.restart(seconds(100, 3));
    timeline.append(seconds(103, 2));
    expect(timeline.times).toEqual([101, 102, 103, 104, 105]);
    expect(timeline.column('throughput')).toEqual([100, 101, 102, 103, 104]);
  });

  it('what is told twice counts once', () => {
    const timeline = new Timeline();
    timeline.restart(seconds(100, 3));
    timeline.append(seconds(101, 4));
    expect(timeline.column('throughput')).toEqual([100, 101, 102, 103, 104]);
  });

  it('what was missed is unknown, second by second', () => {
    const timeline = new Timeline();
    timeline.restart(seconds(100, 1));
    timeline.append(seconds(103, 1));
    expect(timeline.times).toEqual([101, 102, 103, 104]);
    expect(timeline.column('throughput')).toEqual([100, null, null, 103]);
  });

  it('a whole history takes the place of all before it', () => {
    const timeline = new Timeline();
    timeline.restart(seconds(100, 5));
    timeline.restart(seconds(20, 2));
    expect(timeline.times).toEqual([21, 22]);
  });

  it('the latest value is told only while it is new', () => {
    const timeline = new Timeline();
    timeline.restart(seconds(100, 2));
    expect(timeline.latest('throughput')).toBe(101);
    expect(timeline.latest('decode')).toBeNull();
    const gap = seconds(102, 5);
    timeline.append({ ...gap, series: { ...gap.series, throughput: [null, null, null, null, null] } });
    expect(timeline.latest('throughput')).toBeNull();
  });

  it('however points come, columns are of one length, times rise evenly, and nothing is older than it looks back', () => {
    const piece = fc.record({ gap: fc.integer({ min: -5, max: 2_500 }), count: fc.integer({ min: 0, max: 40 }) });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const timeline = new Timeline();
        let at = 10_000;
        for (const { gap, count } of pieces) {
          at += gap;
          timeline.append(seconds(at, count));
          at += count;
        }
        const { times } = timeline;
        expect(timeline.column('throughput')).toHaveLength(times.length);
        expect(timeline.column('good_tokens')).toHaveLength(times.length);
        times.forEach((time, index) => {
          expect(time).toBeGreaterThan(times[index - 1] ?? 0);
          expect(time).toBeGreaterThan((times.at(-1) ?? 0) - LOOK_BACK_MS / 1_000);
        });
      }),
    );
  });
});

describe('minutes', () => {
  it('a point that ends on the minute belongs to the minute before, and the newest minute is first', () => {
    expect(minutesOf([59, 60, 61, 119, 120, 121])).toEqual([
      { time: 180, from: 5, to: 6 },
      { time: 120, from: 2, to: 5 },
      { time: 60, from: 0, to: 2 },
    ]);
  });

  it('unknown values are neither low nor part of the mean', () => {
    expect(extentOf([null, 4, null, 8])).toEqual({ low: 4, mean: 6, high: 8 });
    expect(extentOf([null])).toBeNull();
    expect(extentOf([1, 2, 3], 1, 2)).toEqual({ low: 2, mean: 2, high: 2 });
  });
});
