import { type Metric, Registry, type RegistryContentType } from 'prom-client';
import type { Format } from './accept.ts';
import type { Collected } from './family.ts';
import type { LabelRow } from './label-rows.ts';
import { strideOf } from './plain.ts';

export const CONTENT_TYPE: Readonly<Record<Format, RegistryContentType>> = {
  text: Registry.PROMETHEUS_CONTENT_TYPE,
  openmetrics: Registry.OPENMETRICS_CONTENT_TYPE,
};

/** Some rows of a family on their way to text. */
export interface Slice {
  readonly family: Collected;
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** What prom-client writes as one line. `sharedLabels` is turned into text once per object, and cached. */
interface Line {
  readonly metricName?: string;
  readonly labels: LabelRow;
  readonly sharedLabels: LabelRow;
  readonly value: number;
}

const NO_LABELS: LabelRow = Object.freeze({});
const INFINITE: LabelRow = Object.freeze({ le: '+Inf' });

/** Lines one row becomes: every bucket, the sum and the count, or just the number. */
export function linesPerRow(family: Collected): number {
  return family.bounds === null ? 1 : family.bounds.length + 3;
}

/**
 * Writes a slice by prom-client's exposition: HELP and TYPE, then the lines. The registry lives for one
 * slice, so that scrapes do not meet, and holds a metric of our own that has just these lines.
 */
export async function writeSlice(slice: Slice, format: Format): Promise<string> {
  const { entry } = slice.family;
  const registry = new Registry<RegistryContentType>();
  registry.setContentType(CONTENT_TYPE[format]);
  const isOpenCounter = format === 'openmetrics' && entry.type === 'counter';
  // OpenMetrics names a counter without its suffix in HELP and TYPE; prom-client appends it to the lines.
  const name = isOpenCounter ? entry.name.replace(/_total$/, '') : entry.name;
  const metric = { name, help: entry.help, type: entry.type, values: linesOf(slice, format) };
  // prom-client's types know its own four classes only, its registry asks for a name and `get`.
  registry.registerMetric({ name, get: () => Promise.resolve(metric) } as unknown as Metric);
  return registry.getSingleMetricAsString(name);
}

function linesOf(slice: Slice, format: Format): Line[] {
  const { family, from, to } = slice;
  const lines: Line[] = [];
  for (let row = from; row < to; row += 1) {
    const labels = family.rows[row] ?? NO_LABELS;
    if (family.bounds !== null) pushHistogram(lines, { family, row, labels, bounds: family.bounds, format });
    else lines.push({ labels: NO_LABELS, sharedLabels: labels, value: family.numbers[row] ?? 0 });
  }
  return lines;
}

interface HistogramRow {
  family: Collected;
  row: number;
  labels: LabelRow;
  bounds: readonly number[];
  format: Format;
}

function pushHistogram(lines: Line[], { family, row, labels, bounds, format }: HistogramRow): void {
  const stride = strideOf(bounds);
  const start = row * stride;
  const { name } = family.entry;
  const bucket = `${name}_bucket`;
  const boundLabels = boundLabelsOf(bounds, format);
  let count = 0;
  for (let bin = 0; bin <= bounds.length; bin += 1) {
    count += family.numbers[start + bin] ?? 0;
    lines.push({ metricName: bucket, labels: boundLabels[bin] ?? INFINITE, sharedLabels: labels, value: count });
  }
  const sum = family.numbers[start + stride - 1] ?? 0;
  lines.push({ metricName: `${name}_sum`, labels: NO_LABELS, sharedLabels: labels, value: sum });
  lines.push({ metricName: `${name}_count`, labels: NO_LABELS, sharedLabels: labels, value: count });
}

const boundLabelCache: Record<Format, WeakMap<readonly number[], LabelRow[]>> = {
  text: new WeakMap(),
  openmetrics: new WeakMap(),
};

function boundLabelsOf(bounds: readonly number[], format: Format): LabelRow[] {
  const cached = boundLabelCache[format].get(bounds);
  if (cached !== undefined) return cached;
  const labels = bounds.map((bound) => Object.freeze({ le: boundText(bound, format) }));
  boundLabelCache[format].set(bounds, labels);
  return labels;
}

/** OpenMetrics wants a canonical float (`1.0`); plain text is written as Prometheus clients always did (`1`). */
function boundText(bound: number, format: Format): string {
  return format === 'openmetrics' && Number.isInteger(bound) ? `${bound}.0` : `${bound}`;
}
