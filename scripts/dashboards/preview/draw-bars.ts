import type { BarsPanel } from '../panel.ts';
import { formatted } from './format.ts';
import { type Drawn, lastOf } from './series.ts';
import { type Box, cut, label, rectangle, widthOf } from './svg.ts';
import { THEME } from './theme.ts';

/** One bar for each series, longest to the edge. */
export function drawBars(inside: Box, panel: BarsPanel, series: readonly Drawn[]): string {
  const bars = series.map((one) => ({ ...one, value: lastOf(one.values) ?? 0 }));
  const most = panel.most ?? Math.max(...bars.map(({ value }) => value), 1e-9);
  const height = Math.min(44, inside.h / Math.max(1, bars.length) - 10);
  const nameWidth = Math.min(inside.w * 0.45, Math.max(...bars.map(({ name }) => widthOf(name, 13))) + 18);
  const room = inside.w - nameWidth - 96;
  return bars
    .map(({ name, value, colour: fill }, row) => {
      const y = inside.y + 8 + row * (height + 10);
      const bar = { x: inside.x + nameWidth, y, w: Math.max(2, (value / most) * room), h: height };
      return (
        label({ x: inside.x + nameWidth - 8, y: y + height / 2 + 4 }, cut(name, 13, nameWidth - 12), {
          size: 13,
          anchor: 'end',
        }) +
        rectangle({ ...bar, w: room }, `rx="2" fill="${THEME.grid}"`) +
        rectangle(bar, `rx="2" fill="${fill}" fill-opacity="0.85"`) +
        label({ x: inside.x + nameWidth + room + 8, y: y + height / 2 + 5 }, formatted(value, panel.unit), {
          size: 14,
          fill,
          weight: 500,
        })
      );
    })
    .join('');
}
