import { type GroupKey, groupValue } from './group-keys.ts';
import { Lines } from './lines.ts';
import type { LogFile } from './log-file.ts';
import { Totals } from './totals.ts';
import { readUsageLine, type Skipped } from './usage-line.ts';

/** Groups kept apart; a table of more is for nobody, and each costs memory. */
const MAX_GROUPS = 50_000;

export interface Row {
  /** One value for each key of `by`; null where the records do not say. Null as a whole: groups beyond the most there can be. */
  readonly values: readonly (string | null)[] | null;
  readonly totals: Totals;
}

export interface Report {
  readonly by: readonly GroupKey[];
  readonly rows: readonly Row[];
  readonly total: Totals;
}

/** What of one file was no record. */
export interface SkippedLines {
  lines: number;
  readonly counts: Record<Skipped, number>;
  /** Number of the first of them, from 1. */
  first: number | null;
}

/** Sums up records as they are read: one sum for each group, and nothing else is kept. */
export class ReportBuilder {
  readonly #by: readonly GroupKey[];
  readonly #rows = new Map<string, Row>();
  #rest: Row | null = null;
  readonly #maxGroups: number;

  constructor(by: readonly GroupKey[], maxGroups = MAX_GROUPS) {
    this.#by = by;
    this.#maxGroups = maxGroups;
  }

  /** Throws `UnreadableLog`. */
  async read(file: LogFile): Promise<SkippedLines> {
    const skipped: SkippedLines = { lines: 0, counts: { torn: 0, foreign: 0, log: 0 }, first: null };
    const lines = new Lines((text) => {
      skipped.lines += 1;
      const reason = this.line(text);
      if (reason === null) return;
      skipped.counts[reason] += 1;
      skipped.first ??= skipped.lines;
    });
    for await (const chunk of file.bytes()) lines.push(chunk);
    lines.end();
    return skipped;
  }

  /** Null where it was a record, or blank: a mended log may have such lines. */
  line(text: string | null): Skipped | null {
    if (text === null) return 'foreign';
    if (text === '' || text === '\r') return null;
    const line = readUsageLine(text);
    if (typeof line === 'string') return line;
    this.#rowOf(this.#by.map((key) => groupValue(line, key))).totals.add(line);
    return null;
  }

  report(): Report {
    const rows = [...this.#rows.values(), ...(this.#rest === null ? [] : [this.#rest])];
    const total = new Totals();
    for (const row of rows) total.merge(row.totals);
    return { by: this.#by, rows: this.#by.length === 0 ? [] : sorted(rows, this.#by.indexOf('day')), total };
  }

  #rowOf(values: readonly (string | null)[]): Row {
    const key = JSON.stringify(values);
    const found = this.#rows.get(key);
    if (found !== undefined) return found;
    if (this.#rows.size >= this.#maxGroups) {
      this.#rest ??= { values: null, totals: new Totals() };
      return this.#rest;
    }
    const row = { values, totals: new Totals() };
    this.#rows.set(key, row);
    return row;
  }
}

/** Days in their order, and within one (or without any) who got most comes first. */
function sorted(rows: readonly Row[], dayIndex: number): Row[] {
  const day = ({ values }: Row) => (dayIndex === -1 ? '' : (values?.[dayIndex] ?? '~'));
  const output = ({ totals }: Row) => totals.tokens.output_tokens ?? 0;
  return [...rows].sort((a, b) => {
    if (a.values === null || b.values === null) return Number(a.values === null) - Number(b.values === null);
    if (day(a) !== day(b)) return day(a) < day(b) ? -1 : 1;
    return output(b) - output(a) || b.totals.requests - a.totals.requests;
  });
}
