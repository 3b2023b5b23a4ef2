import * as bargauge from '@grafana/grafana-foundation-sdk/bargauge';
import {
  BarGaugeDisplayMode,
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  VizOrientation,
} from '@grafana/grafana-foundation-sdk/common';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import type { BarsPanel, StatPanel } from '../panel.ts';
import { UNITS } from '../units.ts';
import { byThresholds, lastValue, paletteByName, thresholds } from './looks.ts';

const PLAIN = [{ from: null, color: 'blue' }] as const;

/** Big numbers; the name stands beside the value where there are several. */
export function statPanel(panel: StatPanel): stat.PanelBuilder {
  return new stat.PanelBuilder()
    .unit(UNITS[panel.unit].grafana)
    .reduceOptions(lastValue())
    .graphMode(panel.isTrend ? BigValueGraphMode.Area : BigValueGraphMode.None)
    .colorMode(BigValueColorMode.Value)
    .textMode(
      panel.queries.length > 1 || panel.queries.some(({ legend }) => legend.includes('{{'))
        ? BigValueTextMode.ValueAndName
        : BigValueTextMode.Value,
    )
    .thresholds(thresholds(panel.steps ?? PLAIN))
    .colorScheme(byThresholds());
}

/** One bar for each series, by its value now. */
export function barsPanel(panel: BarsPanel): bargauge.PanelBuilder {
  return new bargauge.PanelBuilder()
    .unit(UNITS[panel.unit].grafana)
    .min(0)
    .reduceOptions(lastValue())
    .orientation(VizOrientation.Horizontal)
    .displayMode(BarGaugeDisplayMode.Basic)
    .thresholds(thresholds(PLAIN))
    .colorScheme(paletteByName());
}
