import type { TablePanel } from '../panel.ts';
import { formatted } from './format.ts';
import { noData } from './no-data.ts';
import type { RecordedQuery } from './recording.ts';
import { lastOf } from './series.ts';
import { type Box, cut, label, line } from './svg.ts';
import { THEME } from './theme.ts';

/** One line for each set of labels over all queries, as Grafana merges them. */
export function drawTable(inside: Box, panel: TablePanel, queries: readonly RecordedQuery[]): string {
  const hidden = ['__name__', ...(panel.hidden ?? [])];
  const names = [
    ...new Set(queries.flatMap(({ series }) => series.flatMap(({ labels }) => Object.keys(labels)))),
  ].filter((name) => !hidden.includes(name));
  const keyOf = (labels: Readonly<Record<string, string>>) => names.map((name) => labels[name] ?? '').join('\u0000');
  const lines = new Map<string, { labels: Readonly<Record<string, string>>; values: (number | null)[] }>();
  for (const [column, { series }] of queries.entries()) {
    for (const { labels, values } of series) {
      const one = lines.get(keyOf(labels)) ?? { labels, values: queries.map(() => null) };
      one.values[column] = lastOf(values);
      lines.set(keyOf(labels), one);
    }
  }
  if (lines.size === 0) return noData(inside);
  const sorted = [...lines.values()].toSorted((a, b) => (b.values[0] ?? 0) - (a.values[0] ?? 0));
  const columns = [
    ...names.map((name) => ({ title: name, cells: sorted.map(({ labels }) => labels[name] ?? '') })),
    ...panel.columns.flatMap((column, index) =>
      column === null
        ? []
        : [
            {
              title: column.title,
              cells: sorted.map(({ values }) => (values[index] == null ? '–' : formatted(values[index], column.unit))),
            },
          ],
    ),
  ];
  return drawColumns(inside, columns);
}

function drawColumns(inside: Box, columns: readonly { title: string; cells: readonly string[] }[]): string {
  const width = (inside.w - 16) / columns.length;
  const lineHeight = 28;
  const room = Math.floor((inside.h - lineHeight) / lineHeight);
  return columns
    .map(({ title, cells }, column) => {
      const x = inside.x + 12 + column * width;
      const head = label({ x, y: inside.y + 18 }, cut(title, 12, width - 8), {
        size: 12,
        fill: '#8ab8ff',
        weight: 500,
      });
      const body = cells.slice(0, room).map((cell, row) => {
        const y = inside.y + 18 + (row + 1) * lineHeight;
        const rule =
          column === 0
            ? line({ x: inside.x + 8, y: y - 19 }, { x: inside.x + inside.w - 8, y: y - 19 }, `stroke="${THEME.grid}"`)
            : '';
        return rule + label({ x, y }, cut(cell, 13, width - 8), { size: 13 });
      });
      return head + body.join('');
    })
    .join('');
}
