import type { LabelNames, LabelValues } from './catalog/entry.ts';

/** The labels of one row. One object for the life of a row: the exposition caches its text by identity. */
export type LabelRow = Readonly<Record<string, string>>;

/** Half of a surrogate pair has no UTF-8: two such values would become one in the exposition, and a duplicate series. */
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** Numbers the label sets of one family in the order in which they come. Rows are never removed: series are capped where they are made. */
export class LabelRows<L extends LabelNames> {
  readonly rows: LabelRow[] = [];
  readonly #names: L;
  readonly #index = new Map<string, number>();

  constructor(names: L) {
    this.#names = names;
  }

  /** The row of these values, a new one where they are new. `more`: labels beyond the names, for families that allow them. */
  indexOf(values: LabelValues<L>, more?: LabelRow): number {
    const key = more === undefined ? keyOf(values) : keyOf([...values, ...Object.entries(more).flat()]);
    return this.#index.get(key) ?? this.#create(key, values, more);
  }

  #create(key: string, values: LabelValues<L>, more: LabelRow | undefined): number {
    const clean = values.map(wellFormed);
    const cleanMore = Object.entries(more ?? {}).map(([name, value]) => [name, wellFormed(value)]);
    const cleanKey = keyOf([...clean, ...cleanMore.flat()]);
    let index = this.#index.get(cleanKey);
    if (index === undefined) {
      const named = this.#names.map((name, position) => [name, clean[position] ?? '']);
      index = this.rows.push(Object.freeze(Object.fromEntries([...cleanMore, ...named]))) - 1;
      this.#index.set(cleanKey, index);
    }
    this.#index.set(key, index);
    return index;
  }
}

/** Lengths before values: no two label sets share a key, whatever characters they hold. */
function keyOf(values: readonly string[]): string {
  let key = '';
  for (const value of values) key += `${value.length}:${value}`;
  return key;
}

function wellFormed(value: string): string {
  return value.replace(LONE_SURROGATES, '\uFFFD');
}
