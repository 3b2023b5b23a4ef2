import type { SloSnapshot } from '../../live/snapshot-type.ts';
import { byId } from '../dom/element.ts';
import { writeText } from '../dom/write.ts';
import type { Timeline } from '../state/timeline.ts';
import type { ChartName } from '../state/view-query.ts';
import type { ViewState } from '../state/view-state.ts';
import { timeOfDay } from '../text/time.ts';
import { CHART_SPECS } from './chart-specs.ts';
import { FlowChart } from './flow-chart.ts';
import type { Palette } from './palette.ts';

export interface FlowChartsParts {
  place: HTMLElement;
  timeline: Timeline;
  palette: Palette;
  state: ViewState;
}

/** The charts on one time axis, one under another. */
export class FlowCharts {
  readonly #state: ViewState;
  readonly #charts: { name: ChartName; chart: FlowChart }[];

  constructor({ place, timeline, palette, state }: FlowChartsParts) {
    const moment = byId('flow-time', HTMLElement);
    this.#state = state;
    this.#charts = CHART_SPECS.map((spec) => ({
      name: spec.name,
      chart: new FlowChart({
        spec,
        palette,
        timeline,
        pointed: (time) => writeText(moment, time === null ? '' : `at ${timeOfDay(time * 1_000)}`),
        isTimeLabelled: () => this.#lowest() === spec.name,
        toggled: () => toggle(state, spec.name),
      }),
    }));
    place.append(...this.#charts.map(({ chart }) => chart.frame.node));
  }

  write(slos: readonly SloSnapshot[]): void {
    for (const { name, chart } of this.#charts) chart.write(slos, this.#isTable(name));
  }

  #isTable(name: ChartName): boolean {
    return this.#state.view.asTable.includes(name);
  }

  #lowest(): ChartName | undefined {
    return this.#charts.findLast(({ name }) => !this.#isTable(name))?.name;
  }
}

export function toggle(state: ViewState, name: ChartName): void {
  const { asTable } = state.view;
  const without = asTable.filter((other) => other !== name);
  state.change({ asTable: without.length < asTable.length ? without : [...asTable, name] });
}
