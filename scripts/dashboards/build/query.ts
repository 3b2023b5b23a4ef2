import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { DATASOURCE_VARIABLE } from '../names.ts';
import type { Panel } from '../panel.ts';

/** A, B, C … in the order of the queries: overrides and transformations name them by it. */
export function refId(index: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + index);
}

/** One value now, instead of a course. */
function isInstant(panel: Panel): boolean {
  return panel.kind === 'table' || panel.kind === 'bars' || (panel.kind === 'stat' && !panel.isTrend);
}

/** Grafana's queries of a panel. */
export function targetsOf(panel: Panel): DataqueryBuilder[] {
  return panel.queries.map(({ expr, legend }, index) => {
    const target = new DataqueryBuilder()
      .refId(refId(index))
      .datasource(DATASOURCE_VARIABLE)
      .expr(expr)
      .legendFormat(legend);
    if (isInstant(panel)) target.instant();
    else target.range();
    return target.format(formatOf(panel));
  });
}

function formatOf({ kind }: Panel): PromQueryFormat {
  if (kind === 'heatmap') return PromQueryFormat.Heatmap;
  return kind === 'table' || kind === 'xy' ? PromQueryFormat.Table : PromQueryFormat.TimeSeries;
}
