import type { TimeSeriesPanel } from './panel.ts';

/** How much of the area below its line a series fills, in percent: areas of several lines would hide what is below them. */
export function fillOf({ isStacked, isLogarithmic, queries }: TimeSeriesPanel): number {
  if (isStacked) return 40;
  const isOneLine = queries.length === 1 && !queries.some(({ legend }) => legend.includes('{{'));
  return isOneLine && !isLogarithmic ? 8 : 0;
}
