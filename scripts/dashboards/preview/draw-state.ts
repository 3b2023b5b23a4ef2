import type { StatePanel } from '../panel.ts';
import { plotBox, timeAxis } from './plot.ts';
import type { Drawn } from './series.ts';
import { type Box, label, rectangle } from './svg.ts';
import { NAMED, THEME } from './theme.ts';

export function drawState(inside: Box, panel: StatePanel, context: { series: Drawn[]; rangeSeconds: number }): string {
  const plot = plotBox(inside);
  const height = Math.min(46, plot.h / Math.max(1, context.series.length) - 8);
  const drawn = context.series.map((one, row) => {
    const y = plot.y + 8 + row * (height + 10);
    const spans = spansOf(one.values).map(({ from, to, value }) => {
      const x = plot.x + (from * one.stepSeconds * plot.w) / context.rangeSeconds;
      const w = Math.min(plot.x + plot.w - x, ((to - from + 1) * one.stepSeconds * plot.w) / context.rangeSeconds);
      const isGood = (value === 1) === panel.words.isOneGood;
      const fill = isGood ? NAMED.green : NAMED.red;
      const word = value === 1 ? panel.words.one : panel.words.zero;
      const text =
        w > 50 ? label({ x: x + 10, y: y + height / 2 + 4 }, word, { fill: '#0b1f0b', size: 12, weight: 600 }) : '';
      return rectangle({ x, y, w, h: height }, `rx="2" fill="${fill}" fill-opacity="0.85"`) + text;
    });
    return (
      spans.join('') + label({ x: inside.x + 8, y: y - 4 + height + 16 }, one.name, { size: 11, fill: THEME.quiet })
    );
  });
  return drawn.join('') + timeAxis(plot, context.rangeSeconds);
}

function spansOf(values: readonly (number | null)[]): { from: number; to: number; value: number }[] {
  const spans: { from: number; to: number; value: number }[] = [];
  for (const [index, value] of values.entries()) {
    const last = spans.at(-1);
    if (value === null) continue;
    if (last !== undefined && last.to === index - 1 && last.value === value) last.to = index;
    else spans.push({ from: index, to: index, value });
  }
  return spans;
}
