import {
  GraphGradientMode,
  LineInterpolation,
  ScaleDistribution,
  ScaleDistributionConfigBuilder,
  StackingConfigBuilder,
  StackingMode,
  VisibilityMode,
} from '@grafana/grafana-foundation-sdk/common';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import * as heatmap from '@grafana/grafana-foundation-sdk/heatmap';
import * as statetimeline from '@grafana/grafana-foundation-sdk/statetimeline';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import { fillOf } from '../fill.ts';
import type { HeatmapPanel, StatePanel, TimeSeriesPanel } from '../panel.ts';
import { UNITS } from '../units.ts';
import { byThresholds, legend, paletteByName, thresholds, tooltip } from './looks.ts';

/** Lines from zero up: a course that does not start at zero exaggerates. */
export function timeSeriesPanel(panel: TimeSeriesPanel): timeseries.PanelBuilder {
  const builder = new timeseries.PanelBuilder()
    .unit(UNITS[panel.unit].grafana)
    .legend(legend())
    .tooltip(tooltip())
    .lineWidth(panel.isStacked ? 1 : 2)
    .fillOpacity(fillOf(panel))
    .gradientMode(GraphGradientMode.Opacity)
    .lineInterpolation(LineInterpolation.Linear)
    .showPoints(VisibilityMode.Never)
    .spanNulls(false)
    .colorScheme(paletteByName());
  if (panel.isStacked) builder.stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'));
  if (panel.isLogarithmic)
    builder.scaleDistribution(new ScaleDistributionConfigBuilder().type(ScaleDistribution.Log).log(10));
  else builder.min(0);
  if (panel.most !== undefined) builder.max(panel.most);
  for (const target of panel.targets ?? []) builder.overrideByRegexp(`^${target}\\b`, AS_TARGET);
  return builder;
}

const AS_TARGET: dashboard.DynamicConfigValue[] = [
  { id: 'custom.lineStyle', value: { fill: 'dash', dash: [8, 6] } },
  { id: 'custom.fillOpacity', value: 0 },
  { id: 'color', value: { mode: 'fixed', fixedColor: 'orange' } },
];

/** Counts of buckets over time; Prometheus' buckets are cumulated, Grafana takes them apart. */
export function heatmapPanel(panel: HeatmapPanel): heatmap.PanelBuilder {
  return new heatmap.PanelBuilder()
    .calculate(false)
    .color(
      new heatmap.HeatmapColorOptionsBuilder()
        .mode(heatmap.HeatmapColorMode.Scheme)
        .scheme('Blues')
        .steps(64)
        .exponent(0.5),
    )
    .cellGap(1)
    .yAxis(new heatmap.YAxisConfigBuilder().unit(UNITS[panel.bucketUnit].grafana))
    .filterValues(new heatmap.FilterValueRangeBuilder().le(1e-9));
}

/** What state, when, and for how long. */
export function statePanel({ words }: StatePanel): statetimeline.PanelBuilder {
  const good = { text: words.isOneGood ? words.one : words.zero, color: 'green' };
  const bad = { text: words.isOneGood ? words.zero : words.one, color: 'red' };
  const [zero, one] = words.isOneGood ? [bad, good] : [good, bad];
  return new statetimeline.PanelBuilder()
    .mergeValues(true)
    .showValue(VisibilityMode.Auto)
    .fillOpacity(70)
    .legend(legend().showLegend(false))
    .mappings([{ type: dashboard.MappingType.ValueToText, options: { '0': zero, '1': one } }])
    .thresholds(thresholds([{ from: null, color: 'text' }]))
    .colorScheme(byThresholds());
}
