import { CATALOG } from '../../src/metrics/catalog.ts';
import type { Panel } from './panel.ts';

const NAMES = new Set(CATALOG.map(({ name }) => name));
const METRIC = /\b(?:pitot|process|nodejs)_[a-z0-9_]*[a-z0-9]\b(?=\{)/g;

/** Metrics that an expression reads, histograms by their own name. Names that the catalog lacks come back as they are. */
function metricsIn(expr: string): string[] {
  const found = [...expr.matchAll(METRIC)].map(([name]) =>
    NAMES.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ''),
  );
  return [...new Set(found)];
}

export function metricsOf({ queries }: Panel): string[] {
  return [...new Set(queries.flatMap(({ expr }) => metricsIn(expr)))];
}
