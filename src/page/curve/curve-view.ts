import type { Snapshot } from '../../live/snapshot-type.ts';
import { ChartFrame } from '../charts/chart-frame.ts';
import { leastSpeed } from '../charts/chart-specs.ts';
import { toggle } from '../charts/flow-charts.ts';
import type { Palette } from '../charts/palette.ts';
import { Choice } from '../dom/choice.ts';
import { element } from '../dom/element.ts';
import { show, writeText } from '../dom/write.ts';
import type { ViewState } from '../state/view-state.ts';
import { CurvePlot } from './curve-plot.ts';
import {
  type CurvePoint,
  type CurveSeries,
  type CurvesAnswer,
  curvePoints,
  curveSeries,
  seriesKey,
} from './curve-points.ts';
import { type CurveScene, EMPTY_SCENE, speedNow } from './curve-scene.ts';
import { CurveTable } from './curve-table.ts';
import { curveSummary, maxSentence, pointSentence } from './curve-words.ts';

/** The operating curve: what the engine gives to all against what each user gets of it. */
export class CurveView {
  readonly #state: ViewState;
  readonly #select = element('select', { attributes: { 'aria-label': 'Curve of' } });
  readonly #choice: Choice;
  readonly #readout = element('p', { class: 'curve-readout' });
  readonly #notes = element('p', { class: 'fine-print' });
  readonly #table = new CurveTable();
  readonly #frame: ChartFrame;
  readonly #plot: CurvePlot;
  #answer: CurvesAnswer = { curves: [] };
  #pointed: CurvePoint | null = null;

  constructor({ place, palette, state }: { place: HTMLElement; palette: Palette; state: ViewState }) {
    this.#state = state;
    this.#choice = new Choice(this.#select, (curve) => state.change({ curve }));
    this.#frame = new ChartFrame({
      title: 'Operating curve',
      about: 'points by concurrency',
      table: this.#table.node,
      beside: [this.#select],
      toggled: () => toggle(state, 'curve'),
    });
    this.#plot = new CurvePlot({
      place: this.#frame.plot,
      palette,
      pointed: (point) => {
        this.#pointed = point;
        this.#read();
      },
    });
    place.append(this.#frame.node, this.#readout, this.#notes);
  }

  /** What `/api/operating-curve` has answered. */
  learned(answer: CurvesAnswer): void {
    this.#answer = answer;
  }

  write(snapshot: Snapshot): void {
    const offered = curveSeries(this.#answer);
    const series = this.#chosen(offered);
    const curve = this.#curveOf(series);
    const points = curve === null || series === null ? [] : curvePoints(curve, series);
    this.#choice.write({
      values: offered.map(seriesKey),
      current: series === null ? '' : seriesKey(series),
      all: null,
    });
    show(this.#select, offered.length > 1);
    const isTable = this.#state.view.asTable.includes('curve');
    const summary = curve === null ? 'Operating curve: nothing was observed yet.' : curveSummary(curve, points);
    this.#frame.write({ summary, isTable });
    if (isTable) this.#table.write(points);
    else this.#plot.write(series === null ? EMPTY_SCENE : this.#scene(points, series, snapshot));
    this.#read();
    writeText(this.#notes, curve?.notes.join('. ') ?? '');
  }

  #scene(points: readonly CurvePoint[], series: CurveSeries, snapshot: Snapshot): CurveScene {
    const { upstreams, slos } = snapshot;
    const upstream = upstreams.find(({ name }) => name === series.upstream);
    const speed = upstream === undefined ? null : speedNow(snapshot, upstream, series.model);
    const slo = slos.find(({ workload }) => workload === series.workload);
    const throughput = upstream?.tokens_per_second ?? 0;
    return {
      points,
      maxConcurrency: this.#curveOf(series)?.max_under_slo?.concurrency ?? null,
      leastSpeed: slo === undefined ? null : leastSpeed(slo),
      now: throughput > 0 && speed !== null ? { throughput, speed } : null,
    };
  }

  /** What the address names, else what the filter leaves, else what has been seen the most. */
  #chosen(offered: readonly CurveSeries[]): CurveSeries | null {
    const { curve, upstream, model } = this.#state.view;
    const named = offered.find((series) => seriesKey(series) === curve);
    const left = offered.find(
      (series) => (upstream === null || series.upstream === upstream) && (model === null || series.model === model),
    );
    return named ?? left ?? offered[0] ?? null;
  }

  #curveOf(series: CurveSeries | null) {
    return this.#answer.curves.find(({ upstream }) => upstream === series?.upstream) ?? null;
  }

  #read(): void {
    const curve = this.#curveOf(this.#chosen(curveSeries(this.#answer)));
    const known = curve === null ? 'It is drawn from traffic: nothing was observed yet.' : maxSentence(curve);
    writeText(this.#readout, this.#pointed === null ? known : pointSentence(this.#pointed));
  }
}
