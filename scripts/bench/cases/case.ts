import type { GoalName } from '../goals.ts';
import type { Site } from '../site.ts';

export interface BenchCase {
  /** For `--case`. */
  readonly name: string;
  readonly title: string;
  readonly run: (site: Site) => Promise<CaseResult>;
}

export interface CaseResult {
  readonly contestants: readonly { readonly name: string; readonly about: string }[];
  readonly table: Table;
  readonly figures: readonly Figure[];
  /** Sentences: what was left out or looks wrong, and why. */
  readonly notes: readonly string[];
  /** Everything measured, round by round, for the JSON. */
  readonly measurements: readonly object[];
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

/** A number that is judged by a goal. */
export interface Figure extends Spread {
  readonly goal: GoalName;
  /** The conditions, where a goal is judged under more than one. */
  readonly where: string;
}

/** Over the rounds. */
export interface Spread {
  /** The median; null when it could not be measured. */
  readonly value: number | null;
  /** The lowest and highest of the rounds: how far to trust the value. Null where there are no rounds. */
  readonly range: readonly [number, number] | null;
}
