import type { Difference, Distribution } from './figures.ts';

/** What sums of weights may be off by. */
const ROUNDING = 1e-9;

/** @throws Error of nothing: a step without requests says nothing. */
export function distributionOf(values: readonly number[]): Distribution {
  const rising = values.toSorted((a, b) => a - b);
  const sum = rising.reduce((total, value) => total + value, 0);
  return { mean: sum / rising.length, p50: quantile(rising, 0.5), p95: quantile(rising, 0.95) };
}

export function differenceOf(values: readonly number[]): Difference {
  const rising = values.toSorted((a, b) => a - b);
  return { p50: quantile(rising, 0.5), p99: quantile(rising, 0.99) };
}

/** Straight between the two nearest values, as NumPy and with it the tool has it. @throws Error of nothing. */
export function quantile(rising: readonly number[], share: number): number {
  const at = share * (rising.length - 1);
  const below = rising[Math.floor(at)];
  const above = rising[Math.ceil(at)];
  if (below === undefined || above === undefined) throw new Error('There is no quantile of nothing.');
  return below + (above - below) * (at - Math.floor(at));
}

export interface Weighed {
  readonly value: number;
  readonly weight: number;
}

/** The lowest value up to which half of the weight lies, as the curve has it; null of nothing. */
export function weighedMedian(values: readonly Weighed[]): number | null {
  const half = values.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let passed = 0;
  for (const { value, weight } of values.toSorted((a, b) => a.value - b.value)) {
    passed += weight;
    if (passed >= half - ROUNDING) return value;
  }
  return null;
}
