export interface Sort {
  key: string;
  isDescending: boolean;
}

/** What rows are ordered by; null is unknown, and stands at the end whichever way it goes. */
export type SortValue = number | string | null;

const NAMES = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** A sorted copy; rows that are equal keep their order. */
export function sorted<Row>(rows: readonly Row[], sortBy: (row: Row) => SortValue, isDescending: boolean): Row[] {
  const direction = isDescending ? -1 : 1;
  return rows
    .map((row) => ({ row, value: sortBy(row) }))
    .sort((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
      return direction * compared(a.value, b.value);
    })
    .map(({ row }) => row);
}

function compared(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return NAMES.compare(String(a), String(b));
}

/** The way a column goes when it is chosen: numbers from the top unless low is what matters, names from A. */
export function chosen(before: Sort, key: string, firstDescending: boolean): Sort {
  if (before.key !== key) return { key, isDescending: firstDescending };
  return { key, isDescending: !before.isDescending };
}
