import type { HistoryEvent, Points, SnapshotEvent } from '../live/stream-type.ts';
import { FlowCharts } from './charts/flow-charts.ts';
import { Palette } from './charts/palette.ts';
import { Sparkline } from './charts/sparkline.ts';
import { Filters } from './controls/filters.ts';
import { Pause } from './controls/pause.ts';
import type { CurvesAnswer } from './curve/curve-points.ts';
import { CurveView } from './curve/curve-view.ts';
import { byId } from './dom/element.ts';
import type { Connection } from './feed/connection.ts';
import { FactsView } from './now/facts-view.ts';
import { speedHeadline, throughputHeadline } from './now/headline.ts';
import { HeadlineView } from './now/headline-view.ts';
import { titleOf } from './now/status.ts';
import { StatusView } from './now/status-view.ts';
import { Timeline } from './state/timeline.ts';
import type { ViewState } from './state/view-state.ts';
import { TablesView } from './tables/tables-view.ts';

/** Twice what the charts look back: what is older would be forgotten at once. */
const MOST_HELD = 1_800;

/** Everything that shows what the gateway tells. What arrives is kept at once, and drawn at most once a frame. */
export class Page {
  readonly palette = new Palette();
  readonly #timeline = new Timeline();
  readonly #status = new StatusView();
  readonly #throughput = new HeadlineView('throughput');
  readonly #speed = new HeadlineView('speed');
  readonly #facts = new FactsView();
  readonly #tables: TablesView;
  readonly #filters: Filters;
  readonly #charts: FlowCharts;
  readonly #curve: CurveView;
  readonly #pause: Pause;
  readonly #sparklines: Sparkline[];
  #connection: Connection = { kind: 'connecting' };
  #latest: SnapshotEvent | null = null;
  #shown: SnapshotEvent | null = null;
  #frame = 0;
  /** A whole history to begin anew with, and what came after it. */
  #begins: Points | null = null;
  readonly #held: Points[] = [];

  constructor(state: ViewState) {
    const { palette } = this;
    const timeline = this.#timeline;
    this.#pause = new Pause(() => this.redraw());
    this.#tables = new TablesView(state);
    this.#filters = new Filters(state);
    this.#charts = new FlowCharts({ place: byId('flow-charts', HTMLElement), timeline, palette, state });
    this.#curve = new CurveView({ place: byId('curve', HTMLElement), palette, state });
    this.#sparklines = [
      new Sparkline({
        place: byId('throughput-spark', HTMLElement),
        timeline,
        palette,
        series: 'throughput',
        ink: 'throughput',
      }),
      new Sparkline({
        place: byId('speed-spark', HTMLElement),
        timeline,
        palette,
        series: 'user_speed_p50',
        ink: 'speed',
      }),
    ];
    state.onChange(() => this.redraw());
  }

  history(event: HistoryEvent): void {
    if (!event.is_whole) this.#learn(event);
    else {
      this.#held.length = 0;
      this.#begins = event;
    }
  }

  snapshot(event: SnapshotEvent): void {
    // Another build writes what this page was not made to read.
    if (this.#latest !== null && this.#latest.gateway.version !== event.gateway.version) {
      location.reload();
      return;
    }
    // The points alone: what waits to be put in must not hold whole snapshots.
    this.#learn(event.points);
    this.#latest = event;
    this.redraw();
  }

  connection(connection: Connection): void {
    this.#connection = connection;
    this.redraw();
  }

  learned(curves: CurvesAnswer): void {
    if (this.#pause.isPaused) return;
    this.#curve.learned(curves);
    this.redraw();
  }

  /** In a tab that is not seen no frame comes, and its title is all that is seen of it: so that is written at once. */
  redraw(): void {
    document.title = titleOf(this.#connection, this.#latest, this.#pause.isPaused);
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#draw());
  }

  /** While it pauses, charts stand still as well, and what came is put in when it goes on. */
  #learn(points: Points): void {
    this.#held.push(points);
    if (this.#held.length > MOST_HELD) this.#held.shift();
  }

  #draw(): void {
    this.#frame = 0;
    const { isPaused } = this.#pause;
    if (!isPaused) {
      if (this.#begins !== null) this.#timeline.restart(this.#begins);
      this.#begins = null;
      for (const points of this.#held.splice(0)) this.#timeline.append(points);
      this.#shown = this.#latest;
    }
    const snapshot = this.#shown;
    this.#status.write(this.#connection, snapshot, isPaused);
    if (snapshot === null) return;
    this.#throughput.write(throughputHeadline(snapshot));
    this.#speed.write(speedHeadline(snapshot));
    this.#facts.write(snapshot);
    this.#filters.write(snapshot);
    this.#tables.write(snapshot);
    this.#curve.write(snapshot);
    this.#charts.write(snapshot.slos);
    for (const sparkline of this.#sparklines) sparkline.write();
  }
}
