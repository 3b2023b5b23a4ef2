import {
  LegendDisplayMode,
  TableCellHeight,
  TableSortByFieldStateBuilder,
  VizLegendOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import type { DynamicConfigValue } from '@grafana/grafana-foundation-sdk/dashboard';
import * as table from '@grafana/grafana-foundation-sdk/table';
import * as xychart from '@grafana/grafana-foundation-sdk/xychart';
import type { TablePanel, XyPanel } from '../panel.ts';
import { UNITS, type UnitName } from '../units.ts';
import { paletteByName, tooltip } from './looks.ts';
import { refId } from './query.ts';

/** What Grafana calls the value of a query in table format: by its letter where there are several. */
function valueField(index: number, of: number): string {
  return of === 1 ? 'Value' : `Value #${refId(index)}`;
}

function unitOf(unit: UnitName): DynamicConfigValue[] {
  const { grafana, decimals } = UNITS[unit];
  return [{ id: 'unit', value: grafana }, ...(decimals === undefined ? [] : [{ id: 'decimals', value: decimals }])];
}

/** One line for each set of labels, one column for each query. */
export function tablePanel({ columns, hidden = [] }: TablePanel): table.PanelBuilder {
  const names = columns.map((column, index) => [valueField(index, columns.length), column] as const);
  const excludeByName = Object.fromEntries(
    ['Time', ...hidden, ...names.filter(([, column]) => column === null).map(([name]) => name)].map((name) => [
      name,
      true,
    ]),
  );
  const [first] = columns;
  const renameByName = Object.fromEntries([
    // Where all others came back empty, the one that did not is called as if it were alone.
    ...(first ? [['Value', first.title]] : []),
    ...names.flatMap(([name, column]) => (column === null ? [] : [[name, column.title]])),
  ]);
  const builder = new table.PanelBuilder()
    .cellHeight(TableCellHeight.Sm)
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation({ id: 'organize', options: { excludeByName, indexByName: {}, renameByName } });
  if (first) builder.sortBy([new TableSortByFieldStateBuilder().displayName(first.title).desc(true)]);
  for (const column of columns) if (column !== null) builder.overrideByName(column.title, unitOf(column.unit));
  return builder;
}

/**
 * Points of two queries. The frames are merged by time and upstream and taken apart by upstream again,
 * so that every upstream is a cloud of its own with an x and a y.
 */
export function xyPanel({ x, y }: XyPanel): xychart.PanelBuilder {
  const [xField, yField] = [valueField(0, 2), valueField(1, 2)];
  return new xychart.PanelBuilder()
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation({
      id: 'partitionByValues',
      options: { fields: ['upstream'], keepFields: false, naming: { asLabels: true } },
    })
    .mapping(xychart.SeriesMapping.Auto)
    .series([
      new xychart.XYSeriesConfigBuilder()
        .x({ matcher: { id: 'byName', options: xField } })
        .y({ matcher: { id: 'byName', options: yField } }),
    ])
    .show(xychart.XYShowMode.Points)
    .pointSize({ fixed: 6 })
    .fillOpacity(50)
    .min(0)
    .colorScheme(paletteByName())
    .legend(new VizLegendOptionsBuilder().displayMode(LegendDisplayMode.List).showLegend(true).calcs([]))
    .tooltip(tooltip())
    .overrideByName(xField, [...unitOf(x.unit), { id: 'custom.axisLabel', value: x.title }])
    .overrideByName(yField, [...unitOf(y.unit), { id: 'custom.axisLabel', value: y.title }]);
}
