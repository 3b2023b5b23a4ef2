import type { MetricEntry } from './catalog/entry.ts';
import type { Collected, Family } from './family.ts';
import { type LabelRow, LabelRows } from './label-rows.ts';
import { strideOf } from './plain.ts';

/** What another process says of one of its families: plain data. */
export interface FamilyReport {
  name: string;
  rows: readonly LabelRow[];
  numbers: number[];
}

/** The first process, which relays nothing where there are workers. */
const FIRST = '0';
/** A label set and its numbers: one, or all of a histogram. */
type Numbers = ReadonlyMap<number, Float64Array>;

export function reportOf(families: readonly Collected[]): FamilyReport[] {
  return families.map(({ entry, rows, numbers }) => ({ name: entry.name, rows, numbers: [...numbers] }));
}

/**
 * The metrics that every process has for itself (CONTRACT §7): with several workers each tells what it
 * read, and the label `worker` tells them apart. A worker that is replaced takes its counters along, as
 * they were last told: they go on from there and do not fall.
 */
export class ProcessSeries {
  readonly #families = new Map<string, ProcessFamily>();

  /** The same family with the label, where it is one that every process has. */
  labelled(family: Family): Family {
    if (family.entry.perWorker === undefined) return family;
    const labelled = new ProcessFamily(family, family.entry.perWorker === 'every process');
    this.#families.set(family.entry.name, labelled);
    return labelled;
  }

  told(worker: string, reports: readonly FamilyReport[]): void {
    for (const report of reports) this.#families.get(report.name)?.told(worker, report);
  }

  /** The process of this worker is over: its gauges say nothing any more. */
  ended(worker: string): void {
    for (const family of this.#families.values()) family.ended(worker);
  }
}

class ProcessFamily implements Family {
  readonly entry: MetricEntry;
  readonly #own: Family;
  readonly #showsOwn: boolean;
  readonly #labels: LabelRows<readonly string[]>;
  /** By worker: what its present process told last, and what those before it left behind. */
  readonly #latest = new Map<string, Numbers>();
  readonly #before = new Map<string, Numbers>();

  constructor(own: Family, showsOwn: boolean) {
    this.#own = own;
    this.#showsOwn = showsOwn;
    this.entry = { ...own.entry, labels: ['worker', ...own.entry.labels] };
    this.#labels = new LabelRows(this.entry.labels);
  }

  told(worker: string, { rows, numbers }: Omit<FamilyReport, 'name'>): void {
    const stride = rows.length === 0 ? 0 : numbers.length / rows.length;
    const latest = rows.map((labels, row) => {
      const values = this.#own.entry.labels.map((name) => labels[name] ?? '');
      const own = Float64Array.from(numbers.slice(row * stride, (row + 1) * stride));
      return [this.#labels.indexOf([worker, ...values]), own] as const;
    });
    this.#latest.set(worker, new Map(latest));
  }

  ended(worker: string): void {
    const latest = this.#latest.get(worker);
    this.#latest.delete(worker);
    if (latest === undefined || this.entry.type === 'gauge') return;
    this.#before.set(worker, added(this.#before.get(worker), latest));
  }

  collect(): Collected {
    const own = this.#own.collect();
    if (this.#showsOwn) this.told(FIRST, { rows: own.rows, numbers: [...own.numbers] });
    const all = [...new Set([...this.#before.keys(), ...this.#latest.keys()])]
      .sort()
      .flatMap((worker) => [...added(this.#before.get(worker), this.#latest.get(worker) ?? new Map())]);
    const stride = own.bounds === null ? 1 : strideOf(own.bounds);
    const numbers = new Float64Array(all.length * stride);
    for (const [place, [, values]] of all.entries()) numbers.set(values, place * stride);
    return { entry: this.entry, rows: all.map(([row]) => this.#labels.rows[row] ?? {}), numbers, bounds: own.bounds };
  }
}

function added(before: Numbers | undefined, latest: Numbers): Numbers {
  if (before === undefined) return latest;
  const sums = new Map(before);
  for (const [row, numbers] of latest) {
    const earlier = before.get(row);
    sums.set(row, earlier === undefined ? numbers : numbers.map((value, place) => value + (earlier[place] ?? 0)));
  }
  return sums;
}
