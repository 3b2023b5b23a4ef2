import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import type { Panel as GrafanaPanel } from '@grafana/grafana-foundation-sdk/dashboard';
import type { Placed } from '../layout.ts';
import { DATASOURCE_VARIABLE } from '../names.ts';
import type { Panel } from '../panel.ts';
import { UNITS } from '../units.ts';
import { heatmapPanel, statePanel, timeSeriesPanel } from './courses.ts';
import { barsPanel, statPanel } from './numbers.ts';
import { targetsOf } from './query.ts';
import { tablePanel, xyPanel } from './tables.ts';

/** A panel as Grafana has it, at its place. */
export function buildPanel({ id, panel, place }: Placed & { kind: 'panel' }): Builder<GrafanaPanel> {
  const { grafana, decimals } = UNITS[panel.unit];
  const builder = byKind(panel)
    .id(id)
    .title(panel.title)
    .description(`${panel.description}\n\n**When it is bad:** ${panel.whenBad}`)
    .datasource(DATASOURCE_VARIABLE)
    .gridPos(place)
    .unit(grafana)
    .noValue('no data')
    .targets(targetsOf(panel));
  if (decimals !== undefined) builder.decimals(decimals);
  if (panel.leastStep !== undefined) builder.interval(panel.leastStep);
  return builder;
}

function byKind(panel: Panel) {
  switch (panel.kind) {
    case 'stat':
      return statPanel(panel);
    case 'bars':
      return barsPanel(panel);
    case 'timeseries':
      return timeSeriesPanel(panel);
    case 'heatmap':
      return heatmapPanel(panel);
    case 'state':
      return statePanel(panel);
    case 'table':
      return tablePanel(panel);
    case 'xy':
      return xyPanel(panel);
  }
}
