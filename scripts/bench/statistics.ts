/**
 * A shared machine is noisy: another tenant can slow a whole round down. What is compared stood in the same
 * round, and of all rounds the median counts, so that a bad one moves nothing.
 */

/** The middle value, or the mean of the two middle ones; null of nothing. */
export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? null : (lower + upper) / 2;
}

/** Nearest-rank percentile of rising values: the smallest one that at least `share` (0 to 1) of them do not exceed. */
export function percentile(rising: ArrayLike<number>, share: number): number | null {
  return rising[Math.max(0, Math.ceil(share * rising.length) - 1)] ?? null;
}

type PerRound = readonly (number | null)[];

/** a ÷ b of each round; rounds in which one of them is missing, or b is 0, do not count. */
export function ratios(a: PerRound, b: PerRound): number[] {
  return paired(a, b).flatMap(([over, under]) => (under === 0 ? [] : [over / under]));
}

/** a − b of each round; rounds in which one of them is missing do not count. */
export function differences(a: PerRound, b: PerRound): number[] {
  return paired(a, b).map(([from, taken]) => from - taken);
}

/** Median of the rounds in which there is a value. */
export function medianOf(values: PerRound): number | null {
  return median(values.filter((value) => value !== null));
}

function paired(a: PerRound, b: PerRound): [number, number][] {
  return a.flatMap((value, round): [number, number][] => {
    const other = b[round] ?? null;
    return value === null || other === null ? [] : [[value, other]];
  });
}

/** The median of the rounds, with the lowest and the highest of them. */
export function spreadOf(values: readonly number[]): { value: number | null; range: readonly [number, number] | null } {
  const range = values.length === 0 ? null : ([Math.min(...values), Math.max(...values)] as const);
  return { value: median(values), range };
}
