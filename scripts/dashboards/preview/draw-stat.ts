import type { StatPanel, Step } from '../panel.ts';
import { formatted } from './format.ts';
import { noData } from './no-data.ts';
import { type Drawn, lastOf } from './series.ts';
import { type Box, cut, label, round, widthOf } from './svg.ts';
import { NAMED, THEME } from './theme.ts';

const PLAIN: readonly Step[] = [{ from: null, color: 'blue' }];
const LARGEST = 52;
const NAME_SIZE = 13;

/** Big numbers of one size side by side, each over its course where it has one. */
export function drawStat(inside: Box, panel: StatPanel, series: readonly Drawn[]): string {
  if (series.length === 0) return noData(inside);
  const hasNames = series.length > 1 || panel.queries.some(({ legend }) => legend.includes('{{'));
  const width = inside.w / series.length;
  const numbers = series.map(({ name, values }, index) => {
    const value = lastOf(values);
    const text = value === null ? '–' : formatted(value, panel.unit);
    const fill = NAMED[colourOf(panel.steps ?? PLAIN, value ?? 0)];
    return { name, values, text, fill, box: { ...inside, x: inside.x + index * width, w: width } };
  });
  const widest = Math.max(...numbers.map(({ text }) => widthOf(text, 1)), 2);
  const size = Math.min(inside.h * (hasNames ? 0.34 : 0.42), (width - 32) / widest / 1.15, LARGEST);
  return numbers
    .map(({ name, values, text, fill, box }) => {
      const middle = { x: box.x + box.w / 2, y: box.y + box.h * (hasNames ? 0.6 : 0.5) + size * 0.1 };
      const above = { x: middle.x, y: middle.y - size - 3 };
      const caption = label(above, cut(name, NAME_SIZE, box.w - 10), {
        size: NAME_SIZE,
        fill: THEME.quiet,
        anchor: 'middle',
      });
      const number = label(middle, text, { size, fill, weight: 500, anchor: 'middle' });
      return (panel.isTrend ? sparkline(box, values, fill) : '') + (hasNames ? caption : '') + number;
    })
    .join('');
}

function colourOf(steps: readonly Step[], value: number): Step['color'] {
  return steps.findLast(({ from }) => from === null || value >= from)?.color ?? 'text';
}

function sparkline(box: Box, values: readonly (number | null)[], fill: string): string {
  const points = values.flatMap((value, index) => (value === null ? [] : [{ index, value }]));
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || points.length < 3) return '';
  const most = Math.max(...points.map(({ value }) => value), 1e-12);
  const bottom = box.y + box.h - 2;
  const x = (index: number) => round(box.x + 8 + (index * (box.w - 16)) / (values.length - 1));
  const path = points
    .map(({ index, value }) => `${x(index)} ${round(bottom - (value / most) * box.h * 0.27)}`)
    .join('L');
  const area = `<path d="M${path}L${x(last.index)} ${bottom}L${x(first.index)} ${bottom}Z" fill="${fill}" fill-opacity="0.13"/>`;
  return `${area}<path d="M${path}" fill="none" stroke="${fill}" stroke-opacity="0.65" stroke-width="1.4"/>`;
}
