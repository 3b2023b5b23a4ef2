import { DASHBOARDS } from '../dashboards.ts';
import { COLUMNS, type Place, type Placed, placed } from '../layout.ts';
import type { Dashboard, Panel } from '../panel.ts';
import { drawBars } from './draw-bars.ts';
import { drawHeatmap } from './draw-heatmap.ts';
import { drawStat } from './draw-stat.ts';
import { drawState } from './draw-state.ts';
import { drawTable } from './draw-table.ts';
import { drawTimeSeries } from './draw-time-series.ts';
import { drawXy } from './draw-xy.ts';
import { bar, heading, insideOf, panelFrame, picture, TOP, WIDTH } from './frame.ts';
import { noData } from './no-data.ts';
import { type Recording, readRecording } from './recording.ts';
import { recordedQueries, seriesOf } from './series.ts';
import { type Box, label } from './svg.ts';
import { THEME } from './theme.ts';

/** Grafana's grid: rows of 30 pixels, 8 between panels. */
const ROW = 38;
const GAP = 8;
const MARGIN = 16;
const COLUMN = (WIDTH - 2 * MARGIN + GAP) / COLUMNS;
/** A picture in a README is looked at, not scrolled: what comes after so many rows is only counted. */
const MOST_ROWS = 38;
const FOOT = 44;

/** The pictures of all dashboards by uid, from the recorded run. */
export function previews(): [uid: string, svg: string][] {
  const recording = readRecording();
  return DASHBOARDS.map((dashboard) => [dashboard.uid, preview(dashboard, recording)]);
}

function preview(dashboard: Dashboard, recording: Recording): string {
  const all = placed(dashboard);
  const shown = withoutLastHeading(all.filter(({ place }) => place.y + place.h <= MOST_ROWS));
  const left = all.filter((one) => one.kind === 'panel' && !shown.includes(one)).length;
  const rows = Math.max(...shown.map(({ place }) => place.y + place.h));
  const drawn = shown.map((one) => {
    const box = boxOf(one.place);
    return one.kind === 'heading' ? heading(box, one.title) : drawPanel(box, one.panel, { dashboard, recording });
  });
  const height = TOP + rows * ROW + (left > 0 ? FOOT : MARGIN);
  const more =
    left === 0
      ? ''
      : label({ x: WIDTH / 2, y: height - 18 }, `… and ${left} more panels below`, {
          size: 14,
          fill: THEME.quiet,
          anchor: 'middle',
        });
  return picture(height, dashboard.title, [bar(dashboard), ...drawn, more].join('\n'));
}

function withoutLastHeading(shown: Placed[]): Placed[] {
  return shown.at(-1)?.kind === 'heading' ? shown.slice(0, -1) : shown;
}

function boxOf({ x, y, w, h }: Place): Box {
  return { x: MARGIN + x * COLUMN, y: TOP + y * ROW, w: w * COLUMN - GAP, h: h * ROW - GAP };
}

function drawPanel(
  box: Box,
  panel: Panel,
  { dashboard, recording }: { dashboard: Dashboard; recording: Recording },
): string {
  const queries = recordedQueries(recording, dashboard.uid, panel);
  const series = seriesOf(panel, queries);
  const inside = insideOf(box);
  const context = { series, rangeSeconds: recording.rangeSeconds };
  const drawn = () => {
    switch (panel.kind) {
      case 'stat':
        return drawStat(inside, panel, series);
      case 'bars':
        return drawBars(inside, panel, series);
      case 'table':
        return drawTable(inside, panel, queries);
      case 'xy':
        return drawXy(inside, panel, queries);
      case 'timeseries':
        return series.length === 0 ? noData(inside) : drawTimeSeries(inside, panel, context);
      case 'heatmap':
        return drawHeatmap(inside, panel, context);
      case 'state':
        return series.length === 0 ? noData(inside) : drawState(inside, panel, context);
    }
  };
  return panelFrame(box, panel.title) + drawn();
}
