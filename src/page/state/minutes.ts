import type { Column } from './timeline.ts';

export interface Extent {
  low: number;
  mean: number;
  high: number;
}

/** Null where nothing is known. */
export function extentOf(column: Column, from = 0, to = column.length): Extent | null {
  let [low, high, sum, count] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
  for (let index = from; index < to; index += 1) {
    const value = column[index] ?? null;
    if (value === null) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
    sum += value;
    count += 1;
  }
  return count === 0 ? null : { low, mean: sum / count, high };
}

export interface Minute {
  /** The end of the minute, in seconds since the Unix epoch. */
  time: number;
  /** Indexes of its first point, and of the one behind its last. */
  from: number;
  to: number;
}

/** Whole minutes of the clock, the newest first: as many rows as a reader can take in. */
export function minutesOf(times: readonly number[]): Minute[] {
  const minutes: Minute[] = [];
  for (let index = 0; index < times.length; index += 1) {
    // A point that ends on the minute belongs to the minute before.
    const end = Math.ceil((times[index] ?? 0) / 60) * 60;
    const last = minutes.at(-1);
    if (last?.time === end) last.to = index + 1;
    else minutes.push({ time: end, from: index, to: index + 1 });
  }
  return minutes.reverse();
}
