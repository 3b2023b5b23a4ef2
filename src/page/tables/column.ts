import type { SortValue } from '../state/sort.ts';
import type { IconName, Tone } from '../text/states.ts';

/** How a cell looks beside its text. */
export interface Look {
  icon?: IconName;
  tone?: Tone;
  /** 0 to 1 and beyond: drawn as a bar that is full at 1. */
  share?: number | null;
  /** The colour of a phase of generations. */
  phase?: 'prefill' | 'decode' | 'unstreamed';
}

/** One column of a table: what it says of a row, and how rows are ordered by it. */
export interface Column<Row> {
  /** As it stands in the address. */
  key: string;
  title: string;
  /** What the figure is, for who points at the head. */
  explained?: string;
  isNumber?: boolean;
  /** Left out where there is less room; styles/tables.css has the widths. */
  shownFrom?: 'medium' | 'wide';
  /** Which way it goes when it is chosen. */
  firstDescending?: boolean;
  sortBy: (row: Row) => SortValue;
  text: (row: Row) => string;
  look?: (row: Row) => Look;
}
