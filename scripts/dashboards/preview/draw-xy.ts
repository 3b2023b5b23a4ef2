import type { XyPanel } from '../panel.ts';
import { formatted } from './format.ts';
import { AXIS_SIZE, LEGEND_HEIGHT, legendLine, plotBox, valueAxis } from './plot.ts';
import type { RecordedQuery } from './recording.ts';
import { linearScale, type Scale } from './scale.ts';
import { type Box, label, line, round } from './svg.ts';
import { colour, THEME } from './theme.ts';

/** Room for the upright title of the y axis, and for the numbers and title of the x axis. */
const TITLE = 14;
const BELOW = 44;

const QUIET = { fill: THEME.quiet, anchor: 'middle' } as const;

/** A point for each step at which both queries have a value. */
export function drawXy(inside: Box, panel: XyPanel, queries: readonly RecordedQuery[]): string {
  const room = plotBox({ ...inside, x: inside.x + TITLE, w: inside.w - TITLE });
  const plot = { ...room, w: room.w - 24, h: inside.h - BELOW - LEGEND_HEIGHT };
  const clouds = cloudsOf(queries);
  const all = clouds.flatMap(({ points }) => points);
  const most = (values: readonly number[]) => Math.max(...values, 1e-9);
  const xs = linearScale({ least: 0, most: most(all.map(({ x }) => x)), from: plot.x, to: plot.x + plot.w, lines: 6 });
  const ys = linearScale({ least: 0, most: most(all.map(({ y }) => y)), from: plot.y + plot.h, to: plot.y, lines: 5 });
  const marks = clouds.flatMap(({ points, colour: fill }) =>
    points.map(({ x, y }) => {
      const at = `cx="${round(xs.at(x))}" cy="${round(ys.at(y))}"`;
      return `<circle ${at} r="4.5" fill="${fill}" fill-opacity="0.5" stroke="${fill}"/>`;
    }),
  );
  const upright = `translate(${round(inside.x + 18)} ${round(plot.y + plot.h / 2)}) rotate(-90)`;
  return [
    valueAxis(plot, ys, panel.y.unit),
    xAxis(plot, xs, panel),
    `<g transform="${upright}">${label({ x: 0, y: 0 }, panel.y.title, { size: 12, ...QUIET })}</g>`,
    ...marks,
    legendLine(inside, clouds),
  ].join('');
}

interface Cloud {
  readonly name: string;
  readonly colour: string;
  readonly points: readonly { x: number; y: number }[];
}

function cloudsOf([xs, ys]: readonly RecordedQuery[]): Cloud[] {
  return (xs?.series ?? []).map(({ labels, values }, index) => {
    const other = ys?.series.find((one) => one.labels['upstream'] === labels['upstream'])?.values ?? [];
    const points = values.flatMap((x, step) => {
      const y = other[step] ?? null;
      return x === null || y === null ? [] : [{ x, y }];
    });
    return { name: labels['upstream'] ?? '', colour: colour(index), points };
  });
}

function xAxis(plot: Box, scale: Scale, { x: { title, unit } }: XyPanel): string {
  const bottom = plot.y + plot.h;
  const ticks = scale.ticks.map((tick) => {
    const x = scale.at(tick);
    const number = label({ x, y: bottom + 15 }, formatted(tick, unit), { size: AXIS_SIZE, ...QUIET });
    return line({ x, y: plot.y }, { x, y: bottom }, `stroke="${THEME.grid}"`) + number;
  });
  return ticks.join('') + label({ x: plot.x + plot.w / 2, y: bottom + 33 }, title, { size: 12, ...QUIET });
}
