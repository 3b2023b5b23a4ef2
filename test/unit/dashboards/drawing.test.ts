import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatted, legendOf } from '../../../scripts/dashboards/preview/format.ts';
import { recordingOf } from '../../../scripts/dashboards/preview/recording.ts';
import { linearScale, logScale } from '../../../scripts/dashboards/preview/scale.ts';
import { cut, escaped } from '../../../scripts/dashboards/preview/svg.ts';

describe('a scale', () => {
  it('ends at a round value over the most', () => {
    const { ticks, at } = linearScale({ least: 0, most: 870, from: 100, to: 0, lines: 4 });
    expect(ticks).toEqual([0, 250, 500, 750, 1_000]);
    expect(at(0)).toBe(100);
    expect(at(1_000)).toBe(0);
  });

  it('keeps every value between its ends', () => {
    const extent = fc.double({ min: 1e-6, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(extent, fc.double({ min: 0, max: 1, noNaN: true }), (most, share) => {
        for (const scale of [linearScale, logScale]) {
          const { at, ticks } = scale({ least: most / 100, most, from: 0, to: 1, lines: 4 });
          const value = most / 100 + share * (most - most / 100);
          expect(at(value)).toBeGreaterThanOrEqual(-1e-9);
          expect(at(value)).toBeLessThanOrEqual(1 + 1e-9);
          expect(ticks.length).toBeGreaterThan(1);
        }
      }),
    );
  });

  it('of powers of ten has a line for each', () => {
    expect(logScale({ least: 0.3, most: 45, from: 0, to: 1, lines: 4 }).ticks).toEqual([0.1, 1, 10, 100]);
  });
});

describe('a value is written', () => {
  it.each([
    [0.0342, 'seconds', '34 ms'],
    [0.00002, 'seconds', '20 µs'],
    [1.5, 'seconds', '1.5 s'],
    [0.1234, 'ratio', '12.3%'],
    [731.4, 'tokensPerSecond', '731 tok/s'],
    [4_342_449, 'tokensPerDay', '4.34 Mil'],
    [0.6631, 'dollars', '$0.66'],
    [1.19, 'burnRate', '1.2×'],
    [100, 'ratio', '10000%'],
  ] as const)('%d %s as %s', (value, unit, text) => {
    expect(formatted(value, unit)).toBe(text);
  });

  it('with the labels of its series', () => {
    expect(legendOf('{{upstream}} · {{model}}', { upstream: 'a' })).toBe('a · ');
  });

  it('as text of an SVG, cut where there is no room', () => {
    expect(escaped('a < b & "c"')).toBe('a &lt; b &amp; &quot;c&quot;');
    expect(cut('per-user speed', 10, 200)).toBe('per-user speed');
    expect(cut('per-user speed', 10, 40)).toBe('per-us…');
  });
});

describe('a recording', () => {
  const ran = { uid: 'pitot-slo', panel: 'Good', query: 0, sent: '', expr: 'x', stepSeconds: 10 };

  it('has a value for each step, and null where there was none or no number', () => {
    const points: [number, number][] = [
      [1_000, 1.23456],
      [1_020, Number.NaN],
      [1_030, 4],
    ];
    const { queries } = recordingOf([{ ...ran, series: [{ labels: {}, points }] }], 1_000, 30);
    expect(queries['pitot-slo/Good/0']?.series).toEqual([{ labels: {}, values: [1.235, null, null, 4] }]);
  });

  it('has one value of an instant query', () => {
    const { queries } = recordingOf([{ ...ran, series: [{ labels: {}, points: [[1_030, 7]] }] }], 1_000, 30);
    expect(queries['pitot-slo/Good/0']?.series).toEqual([{ labels: {}, values: [7] }]);
  });
});
