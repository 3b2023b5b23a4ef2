import uPlot from 'uplot';
import { CHART_FONT, type Palette } from '../charts/palette.ts';
import { AXIS_STEPS, axisTexts } from '../charts/scale.ts';
import { rate } from '../text/format.ts';
import type { CurvePoint } from './curve-points.ts';
import { type CurveScene, EMPTY_SCENE, nearest, speedRange, throughputRange } from './curve-scene.ts';
import { drawCurve } from './draw-curve.ts';

export interface CurvePlotParts {
  place: HTMLElement;
  palette: Palette;
  /** The point under the pointer; null when there is none. */
  pointed: (point: CurvePoint | null) => void;
}

/** uPlot orders data by x, and a curve may fold back: so the axes are uPlot's, and the points are drawn by hand. */
const NO_DATA: uPlot.AlignedData = [
  [0, 1],
  [0, 1],
];

export class CurvePlot {
  readonly #parts: CurvePlotParts;
  #scene: CurveScene = EMPTY_SCENE;
  #plot: uPlot | null = null;

  constructor(parts: CurvePlotParts) {
    this.#parts = parts;
    new ResizeObserver(() => this.#fit()).observe(parts.place);
    parts.palette.onChange(() => this.#plot?.redraw(false));
  }

  write(scene: CurveScene): void {
    this.#scene = scene;
    const { place } = this.#parts;
    if (this.#plot !== null) this.#plot.setData(NO_DATA);
    else if (place.clientWidth > 0) this.#plot = this.#make();
  }

  #fit(): void {
    const { clientWidth: width, clientHeight: height } = this.#parts.place;
    if (width === 0) return;
    if (this.#plot === null) this.write(this.#scene);
    else this.#plot.setSize({ width, height });
  }

  #make(): uPlot {
    const { place, palette } = this.#parts;
    const plot = new uPlot(
      {
        width: place.clientWidth,
        height: place.clientHeight,
        legend: { show: false },
        cursor: { show: false },
        padding: [14, 14, 0, 0],
        scales: {
          x: { time: false, range: () => throughputRange(this.#scene) },
          y: { range: () => speedRange(this.#scene) },
        },
        axes: [
          this.#axis({ scale: 'x', size: 44, label: 'system throughput, tok/s' }),
          this.#axis({ scale: 'y', size: 46, label: 'per-user speed, tok/s' }),
        ],
        series: [{}, { paths: () => null, points: { show: false } }],
        hooks: { draw: [(drawn) => drawCurve({ plot: drawn, scene: this.#scene, palette })] },
      },
      NO_DATA,
      place,
    );
    plot.over.addEventListener('pointermove', (event) => this.#point(plot, event));
    plot.over.addEventListener('pointerleave', () => this.#parts.pointed(null));
    return plot;
  }

  #axis({ scale, size, label }: { scale: 'x' | 'y'; size: number; label: string }): uPlot.Axis {
    const { palette } = this.#parts;
    return {
      label,
      labelSize: 18,
      labelGap: 2,
      labelFont: CHART_FONT,
      font: CHART_FONT,
      size: size - 18,
      gap: 6,
      stroke: () => palette.colour('muted'),
      grid: { stroke: () => palette.colour('grid'), width: 1 },
      ticks: { show: false },
      space: 44,
      incrs: [...AXIS_STEPS],
      values: (plot, splits) => axisTexts(splits, plot.scales[scale]?.max ?? 0, rate),
    };
  }

  #point(plot: uPlot, event: PointerEvent): void {
    const distanceOf = ({ throughput, speed }: CurvePoint) =>
      Math.hypot(plot.valToPos(throughput, 'x') - event.offsetX, plot.valToPos(speed, 'y') - event.offsetY);
    this.#parts.pointed(nearest(this.#scene.points, distanceOf));
  }
}
