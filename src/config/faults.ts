/** What is wrong with a configuration, and where. Every fault is one line that says what was expected. */

export interface Place {
  /** The file as it was named, or the flag (`--listen`) or environment variable that holds the value. */
  source: string;
  /** From 1; null where there is no line to point at. */
  line: number | null;
  column: number | null;
}

export interface Fault {
  place: Place;
  /** Where in the configuration: `upstreams[0].timeouts.connect`; null for the source as a whole. */
  path: string | null;
  /** `expected X, got Y`. Never holds a secret. */
  message: string;
  /** A value or key that would be accepted here and is near what was written. */
  suggestion: string | null;
}

/** A flag or variable: it has no lines, and its name says what it sets. */
export const sourceOnly = (source: string): Place => ({ source, line: null, column: null });

/** `FILE:LINE:COL: PATH: expected X, got Y; did you mean "Z"?` */
export function formatFault(fault: Fault): string {
  const { source, line, column } = fault.place;
  const place = line === null ? source : `${source}:${line}:${column ?? 1}`;
  const path = line === null || !fault.path ? '' : `${fault.path}: `;
  const suggestion = fault.suggestion === null ? '' : `; did you mean "${fault.suggestion}"?`;
  return `${place}: ${path}${fault.message}${suggestion}`.replace(UNPRINTABLE, escaped);
}

/** What could move a cursor, or end a line, where the fault is shown. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029]/gu;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** In the order in which somebody reads: file by line, then flags and variables. */
export function sortFaults(faults: readonly Fault[]): Fault[] {
  const rank = ({ place }: Fault) => place.line ?? Number.POSITIVE_INFINITY;
  return [...faults].sort((a, b) =>
    rank(a) === rank(b) ? (a.place.column ?? 0) - (b.place.column ?? 0) : rank(a) - rank(b),
  );
}

const LONGEST_SHOWN = 80;

/**
 * A text as it may be shown in a fault: quoted, control characters escaped, cut, and without what a URL may hide
 * (credentials and query): a configuration is often checked where logs are kept.
 */
export function shown(text: string): string {
  const safe = text.replace(/(^|\/\/)[^/?#]*@/g, '$1***@').replace(/[?].*$/s, '?***');
  return JSON.stringify(safe.length > LONGEST_SHOWN ? `${safe.slice(0, LONGEST_SHOWN)}…` : safe);
}
