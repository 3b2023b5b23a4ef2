import type uPlot from 'uplot';
import { LOOK_BACK_MS } from '../state/timeline.ts';
import { timeOfDay } from '../text/time.ts';
import type { ChartSpec, LineSpec } from './chart-specs.ts';
import { CHART_FONT, type Palette } from './palette.ts';
import { AXIS_STEPS, axisTexts, type Target, verticalRange } from './scale.ts';
import { drawTargets } from './target-lines.ts';

/** Charts of this key share their cursor. */
const CURSOR_KEY = 'flow';
/** As wide for all, so that one moment stands under another. */
const AXIS_WIDTH = 56;

export interface FlowOptionsParts {
  spec: ChartSpec;
  palette: Palette;
  size: { width: number; height: number };
  targets: () => readonly Target[];
  /** Only the lowest chart says the time. */
  isTimeLabelled: () => boolean;
  cursorMoved: (plot: uPlot) => void;
}

export function flowOptions(parts: FlowOptionsParts): uPlot.Options {
  const { spec, palette, size, targets } = parts;
  return {
    ...size,
    legend: { show: false },
    padding: [10, 1, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: CURSOR_KEY }, points: { size: 7, width: 2 } },
    scales: {
      x: { time: true, range: (_plot, _min, max) => [max - LOOK_BACK_MS / 1_000, max] },
      y: { range: (_plot, _min, max) => verticalRange(max, targets()) },
    },
    axes: [timeAxis(parts), valueAxis(parts)],
    series: [{}, ...spec.lines.map((line) => lineOf(line, parts))],
    bands: bandsOf(parts),
    hooks: {
      draw: [(plot) => drawTargets(plot, targets(), palette)],
      setCursor: [parts.cursorMoved],
    },
  };
}

function timeAxis({ palette, isTimeLabelled }: FlowOptionsParts): uPlot.Axis {
  return {
    font: CHART_FONT,
    stroke: () => palette.colour('muted'),
    grid: { stroke: () => palette.colour('grid'), width: 1 },
    ticks: { show: false },
    incrs: [60, 120, 180, 300],
    space: 64,
    gap: 6,
    size: () => (isTimeLabelled() ? 26 : 8),
    values: (_plot, splits) => splits.map((at) => (isTimeLabelled() ? timeOfDay(at * 1_000).slice(0, 5) : '')),
  };
}

function valueAxis({ palette, spec }: FlowOptionsParts): uPlot.Axis {
  return {
    font: CHART_FONT,
    stroke: () => palette.colour('muted'),
    grid: { stroke: () => palette.colour('grid'), width: 1 },
    ticks: { show: false },
    size: AXIS_WIDTH,
    gap: 8,
    space: 24,
    incrs: [...AXIS_STEPS],
    values: (plot, splits) => axisTexts(splits, plot.scales['y']?.max ?? 0, spec.text),
  };
}

function lineOf(line: LineSpec, { palette, spec }: FlowOptionsParts): uPlot.Series {
  const isFilled = spec.shape === 'area' || (spec.shape === 'stack' && line === spec.lines[0]);
  return {
    stroke: () => palette.colour(line.ink),
    width: 1.5,
    points: { show: false },
    ...(line.isDashed === true ? { dash: [4, 3] } : {}),
    ...(isFilled ? { fill: () => palette.shade(line.ink) } : {}),
  };
}

/** Between two lines of a band, and between the parts of a stack. */
function bandsOf({ palette, spec }: FlowOptionsParts): uPlot.Band[] {
  if (spec.shape === 'area') return [];
  return spec.lines.slice(1).map((line, index) => {
    // uPlot wants the higher line first: a stack grows line by line, a band's first line is its higher one.
    const [one, next] = [index + 1, index + 2];
    return { series: spec.shape === 'stack' ? [next, one] : [one, next], fill: () => palette.shade(line.ink) };
  });
}
