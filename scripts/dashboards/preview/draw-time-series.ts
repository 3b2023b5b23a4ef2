import { fillOf } from '../fill.ts';
import type { TimeSeriesPanel } from '../panel.ts';
import { legendLine, plotBox, timeAxis, valueAxis } from './plot.ts';
import { linearScale, logScale, type Scale } from './scale.ts';
import type { Drawn } from './series.ts';
import { type Box, round } from './svg.ts';
import { NAMED } from './theme.ts';

const LINES = 5;

export function drawTimeSeries(
  inside: Box,
  panel: TimeSeriesPanel,
  context: { series: Drawn[]; rangeSeconds: number },
): string {
  const plot = plotBox(inside);
  const targets = panel.targets ?? [];
  const isTarget = ({ name }: Drawn) => targets.some((target) => name.startsWith(target));
  const series = context.series.map((one) => (isTarget(one) ? { ...one, colour: NAMED.orange } : one));
  const stacked = panel.isStacked
    ? accumulated(series.filter(isAnything))
    : series.map((one) => ({ ...one, floor: null }));
  const values = stacked.flatMap((one) => one.values.filter((value) => value !== null));
  const extent = {
    least: Math.min(...values),
    most: panel.most ?? Math.max(0, ...values),
    from: plot.y + plot.h,
    to: plot.y,
    lines: LINES,
  };
  const scale = panel.isLogarithmic ? logScale(extent) : linearScale({ ...extent, least: Math.min(0, ...values) });
  const at = (one: Drawn, index: number) => plot.x + (index * one.stepSeconds * plot.w) / context.rangeSeconds;
  const drawn = stacked.map((one) => {
    const isFilled = fillOf(panel) > 0 && !isTarget(one);
    const area = isFilled ? areaOf(one, { scale, at, opacity: fillOf(panel) / 100 }) : '';
    const look = `fill="none" stroke="${one.colour}" stroke-width="${panel.isStacked ? 1.2 : 1.8}" stroke-linejoin="round"${isTarget(one) ? ' stroke-dasharray="7 5"' : ''}`;
    return `${area}<path d="${pathOf(one, scale, at)}" ${look}/>`;
  });
  return (
    valueAxis(plot, scale, panel.unit) +
    timeAxis(plot, context.rangeSeconds) +
    drawn.join('') +
    legendLine(inside, series)
  );
}

/** Zero throughout, it would only draw the edge of the one below it again. */
const isAnything = ({ values }: Drawn) => values.some((value) => value !== null && value !== 0);

type Stacked = Drawn & { floor: readonly (number | null)[] | null };

function accumulated(series: readonly Drawn[]): Stacked[] {
  let below: readonly (number | null)[] | null = null;
  return series.map((one) => {
    const floor = below;
    const values: readonly (number | null)[] = one.values.map((value, index) =>
      value === null ? null : value + (floor?.[index] ?? 0),
    );
    below = values;
    return { ...one, values, floor };
  });
}

type At = (one: Drawn, index: number) => number;

/** Broken where there is no value: a gap is no line. */
function pathOf(one: Drawn, scale: Scale, at: At): string {
  let isDown = false;
  return one.values
    .map((value, index) => {
      if (value === null) {
        isDown = false;
        return '';
      }
      const step = `${isDown ? 'L' : 'M'}${round(at(one, index))} ${round(scale.at(value))}`;
      isDown = true;
      return step;
    })
    .join('');
}

function areaOf(one: Stacked, { scale, at, opacity }: { scale: Scale; at: At; opacity: number }): string {
  const bottom = scale.ticks[0] ?? 0;
  const points = one.values.flatMap((value, index) => (value === null ? [] : [{ index, value }]));
  if (points.length < 2) return '';
  const up = points.map(({ index, value }) => `${round(at(one, index))} ${round(scale.at(value))}`);
  const back = points
    .toReversed()
    .map(({ index }) => `${round(at(one, index))} ${round(scale.at(one.floor?.[index] ?? bottom))}`);
  return `<path d="M${[...up, ...back].join('L')}Z" fill="${one.colour}" fill-opacity="${opacity}"/>`;
}
