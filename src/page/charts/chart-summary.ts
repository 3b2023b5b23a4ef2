import { extentOf } from '../state/minutes.ts';
import type { Timeline } from '../state/timeline.ts';
import type { ChartSpec } from './chart-specs.ts';

/** What a chart shows, in a sentence for who does not see it: every line's latest value, and where it went. */
export function chartSummary(spec: ChartSpec, timeline: Timeline): string {
  const sentences = spec.lines.map(({ series, label }) => {
    const extent = extentOf(timeline.column(series));
    if (extent === null) return `${label}: no traffic`;
    const latest = timeline.latest(series);
    const now = latest === null ? 'none now' : `${spec.text(latest)} now`;
    return `${label}: ${now}, between ${spec.text(extent.low)} and ${spec.text(extent.high)}, mean ${spec.text(extent.mean)}`;
  });
  return `${spec.title}, ${spec.about}, the last 15 minutes. ${sentences.join('. ')}.`;
}
