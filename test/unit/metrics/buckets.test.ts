import { describe, expect, it } from 'vitest';
import { GAP_BOUNDS_MS } from '../../../src/meter/gaps.ts';
import {
  E2E_SECONDS,
  INTER_CHUNK_SECONDS,
  SPEED_TOKENS_PER_SECOND,
  TPOT_SECONDS,
  TTFT_SECONDS,
  withTargets,
} from '../../../src/metrics/buckets.ts';
import { CATALOG } from '../../../src/metrics/catalog.ts';

describe('the buckets', () => {
  it('rise strictly and are finite, in every histogram of the catalog', () => {
    for (const entry of CATALOG) {
      if (entry.type !== 'histogram') continue;
      expect([...new Set(entry.buckets)].sort((a, b) => a - b)).toEqual([...entry.buckets]);
      expect(entry.buckets.every((bound) => Number.isFinite(bound) && bound > 0)).toBe(true);
    }
  });

  it('of TTFT hold the usual targets', () => {
    expect(TTFT_SECONDS).toEqual(expect.arrayContaining([0.1, 0.2, 0.5, 1, 1.5, 2, 3, 5]));
    expect(TTFT_SECONDS[0]).toBe(0.001);
    expect(TTFT_SECONDS.at(-1)).toBe(300);
  });

  it('of TPOT begin at half a millisecond', () => {
    expect(TPOT_SECONDS[0]).toBe(0.0005);
  });

  it('of the user speed are dense from 1 to 500: no bound is more than half as large again as the one before, from 3 on', () => {
    const bounds = SPEED_TOKENS_PER_SECOND.filter((bound) => bound >= 3 && bound <= 500);
    expect(bounds[0]).toBe(3);
    expect(bounds.at(-1)).toBe(500);
    for (const [index, bound] of bounds.entries()) {
      if (index > 0) expect(bound / (bounds[index - 1] ?? 0)).toBeLessThan(1.5);
    }
  });

  it('of E2E reach an hour', () => {
    expect(E2E_SECONDS.at(-1)).toBe(3_600);
  });

  it('of the gaps are those by which requests bin them', () => {
    expect(INTER_CHUNK_SECONDS).toEqual(GAP_BOUNDS_MS.map((ms) => ms / 1000));
  });

  it('take in configured targets where they belong, each once', () => {
    expect(withTargets([0.1, 1, 2], [2, 0.35, 0.35, 7])).toEqual([0.1, 0.35, 1, 2, 7]);
    expect(withTargets([1], [0, -1, Number.NaN, Number.POSITIVE_INFINITY])).toEqual([1]);
  });
});
