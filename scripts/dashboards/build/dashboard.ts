import {
  AnnotationQueryBuilder,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { placed } from '../layout.ts';
import { DATASOURCE, DATASOURCE_VARIABLE, TAG } from '../names.ts';
import type { Dashboard } from '../panel.ts';
import { type LabelVariable, valuesQuery, variablesOf } from '../variables.ts';
import { buildPanel } from './panel.ts';

const ALERTS = 'ALERTS{alertname=~"Pitot.*",alertstate="firing"}';

/** A dashboard as Grafana reads it from a file. */
export function buildDashboard(dashboard: Dashboard): unknown {
  const builder = new DashboardBuilder(dashboard.title)
    .uid(dashboard.uid)
    .description(dashboard.description)
    .tags([TAG])
    .time({ from: 'now-1h', to: 'now' })
    .refresh('10s')
    .timezone('browser')
    .tooltip(DashboardCursorSync.Crosshair)
    .readonly()
    .link(links())
    .annotation(firingAlerts())
    .withVariable(datasource());
  for (const variable of variablesOf(dashboard)) builder.withVariable(values(variable));
  for (const one of placed(dashboard)) {
    if (one.kind === 'panel') builder.withPanel(buildPanel(one));
    else builder.withRow(new RowBuilder(one.title).id(one.id).gridPos(one.place));
  }
  return JSON.parse(JSON.stringify(builder.build(), withoutHiding));
}

/** The SDK puts links and annotations into a menu unless told otherwise, and knows no otherwise: left out, they stand where one sees them. */
function withoutHiding(key: string, value: unknown): unknown {
  return key === 'placement' && value === 'inControlsMenu' ? undefined : value;
}

/** From each dashboard to the others, at the same time and with the same selection. */
function links(): DashboardLinkBuilder {
  return new DashboardLinkBuilder('Pitot')
    .type(DashboardLinkType.Dashboards)
    .tags([TAG])
    .asDropdown(false)
    .includeVars(true)
    .keepTime(true);
}

function firingAlerts(): AnnotationQueryBuilder {
  return new AnnotationQueryBuilder()
    .name('Firing alerts')
    .datasource(DATASOURCE_VARIABLE)
    .enable(true)
    .iconColor('red')
    .expr(ALERTS)
    .target(new DataqueryBuilder().refId('Alerts').expr(ALERTS))
    .titleFormat('{{alertname}}')
    .textFormat('{{severity}}');
}

function datasource(): DatasourceVariableBuilder {
  return new DatasourceVariableBuilder('datasource')
    .label('Data source')
    .description('The Prometheus that scrapes Pitot.')
    .type('prometheus')
    .multi(false)
    .current({ selected: true, text: DATASOURCE.name, value: DATASOURCE.uid });
}

function values(variable: LabelVariable): QueryVariableBuilder {
  const query = valuesQuery(variable);
  const builder = new QueryVariableBuilder(variable.name)
    .label(variable.label)
    .description(variable.description)
    .datasource(DATASOURCE_VARIABLE)
    .query({ query, refId: 'StandardVariableQuery' })
    .definition(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc);
  // Without a current value Grafana takes the first one there is.
  if (variable.isSingle) return builder.multi(false).includeAll(false);
  return builder
    .multi(true)
    .includeAll(true)
    .allValue('.*')
    .current({ selected: true, text: ['All'], value: ['$__all'] });
}
