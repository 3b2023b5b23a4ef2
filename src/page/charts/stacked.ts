import type { Column } from '../state/timeline.ts';

/** Each column on top of those before it. Where a part is unknown, so is all that stands on it. */
export function stacked(columns: readonly Column[]): Column[] {
  const sums: Column[] = [];
  for (const column of columns) {
    const below = sums.at(-1);
    sums.push(below === undefined ? column : column.map((value, index) => plus(value, below[index] ?? null)));
  }
  return sums;
}

function plus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}
