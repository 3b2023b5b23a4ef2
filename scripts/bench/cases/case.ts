import type { Site } from '../site.ts';

export interface BenchCase {
  /** For `--case`. */
  readonly name: string;
  readonly title: string;
  readonly run: (site: Site) => Promise<CaseResult>;
}

export interface CaseResult {
  readonly table: Table;
  readonly figures: readonly Figure[];
  /** Sentences: what was left out or looks wrong, and why. */
  readonly notes: readonly string[];
  /** Everything measured, round by round, for the JSON. */
  readonly rounds: readonly object[];
}

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
}

export interface Column {
  readonly title: string;
  readonly unit: string;
  readonly digits: number;
}

/** A number that is judged: it should be at most the goal. */
export interface Figure {
  readonly name: string;
  /** Null when it could not be measured. */
  readonly value: number | null;
  /** The lowest and highest of the rounds: how far to trust the value. Null where there are no rounds. */
  readonly range: readonly [number, number] | null;
  readonly unit: string;
  readonly digits: number;
  readonly goal: number;
}
