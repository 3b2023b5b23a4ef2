import uPlot from 'uplot';
import type { SloSnapshot } from '../../live/snapshot-type.ts';
import type { Timeline } from '../state/timeline.ts';
import { ChartFrame } from './chart-frame.ts';
import type { ChartSpec } from './chart-specs.ts';
import { chartSummary } from './chart-summary.ts';
import { flowOptions } from './flow-options.ts';
import { MinuteTable } from './minute-table.ts';
import type { Palette } from './palette.ts';
import { Readouts } from './readouts.ts';
import type { Target } from './scale.ts';
import { stacked } from './stacked.ts';
import { targetsOf } from './targets.ts';

export interface FlowChartParts {
  spec: ChartSpec;
  palette: Palette;
  timeline: Timeline;
  isTimeLabelled: () => boolean;
  /** The moment the cursor stands on, in seconds; null where it has left. */
  pointed: (time: number | null) => void;
  toggled: () => void;
}

const HEIGHT = 128;
const AXIS_HEIGHT = 18;

/** One chart over the last fifteen minutes. */
export class FlowChart {
  readonly frame: ChartFrame;
  readonly #parts: FlowChartParts;
  readonly #readouts: Readouts;
  readonly #table: MinuteTable;
  #plot: uPlot | null = null;
  #targets: Target[] = [];
  #isTable = false;

  constructor(parts: FlowChartParts) {
    const { spec } = parts;
    this.#parts = parts;
    this.#readouts = new Readouts(spec.lines);
    this.#table = new MinuteTable(spec);
    this.frame = new ChartFrame({
      title: spec.title,
      about: spec.about,
      table: this.#table.node,
      beside: [this.#readouts.node],
      toggled: parts.toggled,
    });
    new ResizeObserver(() => this.#fit()).observe(this.frame.plot);
    parts.palette.onChange(() => this.#plot?.redraw(false));
  }

  write(slos: readonly SloSnapshot[], isTable: boolean): void {
    const { spec, timeline } = this.#parts;
    this.#targets = targetsOf(spec, slos);
    this.#isTable = isTable;
    this.frame.write({ isTable, summary: chartSummary(spec, timeline) });
    if (isTable) this.#table.write(timeline);
    else this.#draw();
    this.#read(this.#plot);
  }

  #draw(): void {
    const data: uPlot.AlignedData = [this.#parts.timeline.times, ...this.#columns()];
    if (this.#plot !== null) this.#plot.setData(data);
    else if (this.#size().width > 0) this.#plot = this.#make(data);
  }

  #make(data: uPlot.AlignedData): uPlot {
    const { spec, palette, isTimeLabelled } = this.#parts;
    const options = flowOptions({
      spec,
      palette,
      isTimeLabelled,
      size: this.#size(),
      targets: () => this.#targets,
      cursorMoved: (plot) => {
        this.#read(plot);
        this.#parts.pointed(this.#parts.timeline.times[plot.cursor.idx ?? -1] ?? null);
      },
    });
    return new uPlot(options, data, this.frame.plot);
  }

  #columns() {
    const { spec, timeline } = this.#parts;
    const columns = spec.lines.map(({ series }) => timeline.column(series));
    return spec.shape === 'stack' ? stacked(columns) : columns;
  }

  #fit(): void {
    if (this.#isTable) return;
    if (this.#plot === null) this.#draw();
    else this.#plot.setSize(this.#size());
  }

  #size(): { width: number; height: number } {
    return { width: this.frame.plot.clientWidth, height: HEIGHT + (this.#parts.isTimeLabelled() ? AXIS_HEIGHT : 0) };
  }

  #read(plot: uPlot | null): void {
    const { spec, timeline } = this.#parts;
    const at = plot?.cursor.idx ?? null;
    const texts = spec.lines.map(({ series }) =>
      spec.text(at === null ? timeline.latest(series) : (timeline.column(series)[at] ?? null)),
    );
    this.#readouts.write(texts);
  }
}
