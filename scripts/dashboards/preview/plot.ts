import type { UnitName } from '../units.ts';
import { formatted } from './format.ts';
import type { Scale } from './scale.ts';
import { type Box, cut, label, line, rectangle, widthOf } from './svg.ts';
import { THEME } from './theme.ts';

export const AXIS_SIZE = 11;
const LEGEND_SIZE = 12;
export const LEGEND_HEIGHT = 20;
const AXIS_WIDTH = 78;
const TIME_HEIGHT = 18;

/** Where the lines are drawn inside a panel: left of it the values, below it the times and the legend. */
export function plotBox(inside: Box): Box {
  return {
    x: inside.x + AXIS_WIDTH,
    y: inside.y + 6,
    w: inside.w - AXIS_WIDTH - 10,
    h: inside.h - 6 - TIME_HEIGHT - LEGEND_HEIGHT,
  };
}

/** Lines across the plot with their values at the left. */
export function valueAxis(plot: Box, scale: Scale, unit: UnitName): string {
  return scale.ticks
    .map((tick) => {
      const y = scale.at(tick);
      const text = label({ x: plot.x - 8, y: y + 4 }, formatted(tick, unit), {
        size: AXIS_SIZE,
        fill: THEME.quiet,
        anchor: 'end',
      });
      return line({ x: plot.x, y }, { x: plot.x + plot.w, y }, `stroke="${THEME.grid}"`) + text;
    })
    .join('');
}

/** Minutes since the beginning of the range. */
export function timeAxis(plot: Box, rangeSeconds: number): string {
  const minutes = Math.floor(rangeSeconds / 60);
  return Array.from({ length: minutes + 1 }, (_, minute) => {
    const x = plot.x + (minute * 60 * plot.w) / rangeSeconds;
    const anchor = x > plot.x + plot.w - 14 ? 'end' : 'middle';
    return (
      line({ x, y: plot.y }, { x, y: plot.y + plot.h }, `stroke="${THEME.grid}"`) +
      label({ x, y: plot.y + plot.h + 14 }, `${minute}:00`, { size: AXIS_SIZE, fill: THEME.quiet, anchor })
    );
  }).join('');
}

export interface LegendEntry {
  readonly name: string;
  readonly colour: string;
}

/** Names in one line at the bottom of the panel, as far as there is room. */
export function legendLine(inside: Box, entries: readonly LegendEntry[]): string {
  const y = inside.y + inside.h - 5;
  const end = inside.x + inside.w - 8;
  let x = inside.x + 8;
  let drawn = '';
  for (const { name, colour } of entries) {
    const room = end - x - 20;
    if (room < 30) break;
    const text = cut(name, LEGEND_SIZE, room);
    drawn += rectangle({ x, y: y - 6, w: 14, h: 4 }, `rx="2" fill="${colour}"`);
    drawn += label({ x: x + 20, y }, text, { size: LEGEND_SIZE, fill: THEME.quiet });
    x += 20 + widthOf(text, LEGEND_SIZE) + 18;
  }
  return drawn;
}
