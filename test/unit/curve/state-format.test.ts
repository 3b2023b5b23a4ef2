import { describe, expect, it } from 'vitest';
import { readState, stateOf, stateText } from '../../../src/curve/state-format.ts';
import { curveBin } from '../../helpers/curve-bins.ts';

const CURVES = [
  {
    upstream: 'a "quoted"',
    conditions: { gpu: 'H100' },
    gpus: 0.5,
    bins: [curveBin({ concurrency: 4, tokensPerSecond: 300 }), curveBin({ concurrency: 24, tokensPerSecond: 900 })],
  },
  { upstream: 'b', conditions: {}, gpus: null, bins: [curveBin({ concurrency: 1, tokensPerSecond: 0 })] },
];
const text = (curves = CURVES) => [...stateText(curves, 0)].join('');

describe('the file of operating curves', () => {
  it('comes back as it was', () => {
    const again = readState(text());
    expect(again.map(stateOf)).toEqual(CURVES.map(stateOf));
    expect(again[0]?.bins[1]?.throughput.quantile(0.5)).toBe(CURVES[0]?.bins[1]?.throughput.quantile(0.5));
    expect(readState(text([]))).toEqual([]);
  });

  it.each([
    ['nothing', ''],
    ['a part of it', text().slice(0, 500)],
    ['other JSON', '{"a":1}'],
    ['a list', '[]'],
    ['a newer version', text().replace('"version":1', '"version":2')],
    ['a bin that is none', text().replace('"concurrency":24', '"concurrency":25')],
    ['a weight below 0', text().replace('"windows":100', '"windows":-1')],
    ['a name that is none', text().replace('"model":"tiny"', '"model":3')],
    ['bins in place of which something stands', text().replace(/"throughput":\{[^}]*\}/, '"throughput":[]')],
  ])('%s in its place is refused with one sentence', (_, faulty) => {
    expect(() => readState(faulty)).toThrow(/^expected [^\n]+$/);
  });
});
