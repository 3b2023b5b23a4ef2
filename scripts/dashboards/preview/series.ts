import type { Panel } from '../panel.ts';
import { legendOf } from './format.ts';
import { queryKey, type RecordedQuery, type Recording } from './recording.ts';
import { colour } from './theme.ts';

export interface Drawn {
  readonly name: string;
  readonly colour: string;
  readonly values: readonly (number | null)[];
  readonly stepSeconds: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** What was recorded of each query of a panel, in their order. */
export function recordedQueries(recording: Recording, uid: string, panel: Panel): RecordedQuery[] {
  return panel.queries.map(({ expr }, index) => {
    const recorded = recording.queries[queryKey(uid, panel.title, index)];
    if (recorded === undefined) throw new Error(`nothing recorded of ${uid}, ${panel.title}: record the demo again`);
    return { ...recorded, expr };
  });
}

/** All series of a panel with their names and colours; those that are zero throughout come last. */
export function seriesOf(panel: Panel, queries: readonly RecordedQuery[]): Drawn[] {
  const all = queries.flatMap(({ series, stepSeconds }, index) =>
    series.map(({ labels, values }) => ({
      name: legendOf(panel.queries[index]?.legend ?? '', labels),
      labels,
      values,
      stepSeconds,
    })),
  );
  const isFlat = (values: readonly (number | null)[]) => values.every((value) => value === null || value === 0);
  const ordered = [...all.filter(({ values }) => !isFlat(values)), ...all.filter(({ values }) => isFlat(values))];
  return ordered.map((one, index) => ({ ...one, colour: colour(index) }));
}

/** The last value that there is. */
export function lastOf(values: readonly (number | null)[]): number | null {
  return values.findLast((value) => value !== null) ?? null;
}
