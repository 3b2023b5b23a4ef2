import uPlot from 'uplot';
import type { Column, SeriesName, Timeline } from '../state/timeline.ts';
import type { Ink } from './chart-specs.ts';
import type { Palette } from './palette.ts';

/** "The last minutes" of a big number. */
const SPARK_MINUTES = 5;

export interface SparklineParts {
  place: HTMLElement;
  timeline: Timeline;
  palette: Palette;
  series: SeriesName;
  ink: Ink;
}

const HEIGHT = 64;

/** The shape of one figure over the last minutes, without axes: the chart below has them. */
export class Sparkline {
  readonly #parts: SparklineParts;
  #plot: uPlot | null = null;

  constructor(parts: SparklineParts) {
    this.#parts = parts;
    new ResizeObserver(() => this.#fit()).observe(parts.place);
    parts.palette.onChange(() => this.#plot?.redraw(false));
  }

  write(): void {
    const data = this.#data();
    if (this.#plot !== null) this.#plot.setData(data);
    else if (this.#parts.place.clientWidth > 0) this.#plot = new uPlot(this.#options(), data, this.#parts.place);
  }

  #fit(): void {
    if (this.#plot === null) this.write();
    else this.#plot.setSize({ width: this.#parts.place.clientWidth, height: HEIGHT });
  }

  #data(): uPlot.AlignedData {
    const { timeline, series } = this.#parts;
    const count = Math.ceil((SPARK_MINUTES * 60_000) / timeline.stepMs);
    const column: Column = timeline.column(series).slice(-count);
    return [timeline.times.slice(-count), column];
  }

  #options(): uPlot.Options {
    const { palette, ink, place } = this.#parts;
    return {
      width: place.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      padding: [2, 0, 2, 0],
      axes: [{ show: false }, { show: false }],
      scales: {
        x: { time: true, range: (_plot, _min, max) => [max - SPARK_MINUTES * 60, max] },
        y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.06 : 1] },
      },
      series: [
        {},
        {
          stroke: () => palette.colour(ink),
          fill: () => palette.shade(ink),
          width: 1.5,
          points: { show: false },
        },
      ],
    };
  }
}
