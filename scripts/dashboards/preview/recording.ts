import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Ran } from '../run-queries.ts';

export const RECORDING_FILE = fileURLToPath(new URL('recorded-run.json', import.meta.url));

/** Results of one run of the demo, small enough to be kept: every figure to four digits. */
export interface Recording {
  readonly rangeSeconds: number;
  /** By dashboard, panel title and number of the query: `pitot-slo/Good ratio/0`. */
  readonly queries: Readonly<Record<string, RecordedQuery>>;
}

export interface RecordedQuery {
  readonly expr: string;
  readonly stepSeconds: number;
  readonly series: readonly RecordedSeries[];
}

/** Values at each step from the beginning of the range on, null where there is none; a single one of an instant query. */
export interface RecordedSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly values: readonly (number | null)[];
}

export const queryKey = (uid: string, panel: string, query: number) => `${uid}/${panel}/${query}`;

export function readRecording(): Recording {
  // Written by `recordingOf`, and checked against the panels by a contract test.
  return JSON.parse(readFileSync(RECORDING_FILE, 'utf8')) as Recording;
}

/** What was run, as it is kept. */
export function recordingOf(ran: readonly Ran[], startSeconds: number, rangeSeconds: number): Recording {
  const queries = ran.map(({ uid, panel, query, expr, stepSeconds, series }) => {
    const count = Math.floor(rangeSeconds / stepSeconds) + 1;
    const kept = series.map(({ labels, points }) => {
      const isCourse = points.length > 1 || (points[0]?.[0] ?? 0) < startSeconds + rangeSeconds;
      const values: (number | null)[] = Array.from({ length: isCourse ? count : 1 }, () => null);
      for (const [seconds, value] of points) {
        const index = isCourse ? Math.round((seconds - startSeconds) / stepSeconds) : 0;
        values[index] = Number.isFinite(value) ? Number(value.toPrecision(4)) : null;
      }
      return { labels, values };
    });
    return [queryKey(uid, panel, query), { expr, stepSeconds, series: kept }] as const;
  });
  return { rangeSeconds, queries: Object.fromEntries(queries) };
}
