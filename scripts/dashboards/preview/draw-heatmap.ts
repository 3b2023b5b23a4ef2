import type { HeatmapPanel } from '../panel.ts';
import { formatted } from './format.ts';
import { plotBox, timeAxis } from './plot.ts';
import type { Drawn } from './series.ts';
import { type Box, label, rectangle } from './svg.ts';
import { THEME } from './theme.ts';

/** Buckets are cumulated: a cell is a bucket less the one below it. */
export function drawHeatmap(
  inside: Box,
  panel: HeatmapPanel,
  context: { series: Drawn[]; rangeSeconds: number },
): string {
  const bounds = context.series
    .map((one) => ({
      ...one,
      bound: Number(one.labels['le'] === '+Inf' ? Number.POSITIVE_INFINITY : one.labels['le']),
    }))
    .toSorted((a, b) => a.bound - b.bound);
  const rows = bounds.map((one, row) => ({
    bound: one.bound,
    cells: one.values.map((value, index) => Math.max(0, (value ?? 0) - (bounds[row - 1]?.values[index] ?? 0))),
  }));
  const used = rows.flatMap(({ cells }, row) => (cells.some((cell) => cell > 0.01) ? [row] : []));
  const [first, last] = [Math.max(0, (used[0] ?? 0) - 1), Math.min(rows.length - 1, (used.at(-1) ?? 0) + 1)];
  const shown = rows.slice(first, last + 1);
  const most = Math.max(...shown.flatMap(({ cells }) => cells), 1e-9);
  const plot = { ...plotBox(inside), h: inside.h - 30 };
  const height = plot.h / shown.length;
  const columns = context.series[0]?.values.length ?? 1;
  const width = plot.w / columns;
  const drawn = shown.map(({ bound, cells }, row) => {
    const y = plot.y + plot.h - (row + 1) * height;
    const name =
      row % Math.ceil(shown.length / 7) === 0
        ? label({ x: plot.x - 8, y: y + 4 }, Number.isFinite(bound) ? formatted(bound, panel.bucketUnit) : '∞', {
            size: 11,
            fill: THEME.quiet,
            anchor: 'end',
          })
        : '';
    const filled = cells.map((cell, column) =>
      cell <= 0.01
        ? ''
        : rectangle(
            { x: plot.x + column * width + 0.5, y: y + 0.5, w: width - 1, h: height - 1 },
            `fill="#5794f2" fill-opacity="${(0.12 + 0.88 * Math.sqrt(cell / most)).toFixed(2)}"`,
          ),
    );
    return name + filled.join('');
  });
  return timeAxis(plot, context.rangeSeconds) + drawn.join('');
}
