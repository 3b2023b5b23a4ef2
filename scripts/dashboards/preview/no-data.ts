import { type Box, label } from './svg.ts';
import { THEME } from './theme.ts';

/** Where there is nothing to draw, that is said. */
export function noData(inside: Box, text = 'No data'): string {
  return label({ x: inside.x + inside.w / 2, y: inside.y + inside.h / 2 + 4 }, text, {
    size: 14,
    fill: THEME.quiet,
    anchor: 'middle',
  });
}
