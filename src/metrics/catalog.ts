import { CAPACITY } from './catalog/capacity.ts';
import type { MetricEntry } from './catalog/entry.ts';
import { GATEWAY } from './catalog/gateway.ts';
import { LATENCY } from './catalog/latency.ts';
import { OTEL, OTEL_NOTE } from './catalog/otel.ts';
import { PROCESS } from './catalog/process.ts';
import { REQUESTS } from './catalog/requests.ts';
import { SLOS } from './catalog/slos.ts';
import { TOKENS } from './catalog/tokens.ts';
import { UPSTREAMS } from './catalog/upstreams.ts';
import { USERS } from './catalog/users.ts';

/** Metrics that are documented together. */
export interface CatalogGroup {
  readonly title: string;
  /** What holds for all of them, in Markdown. */
  readonly note?: string;
  readonly entries: readonly MetricEntry[];
}

/** Every metric of Pitot by group, in the order of the documentation. */
export const CATALOG_GROUPS: readonly CatalogGroup[] = [
  { title: 'Tokens and throughput', entries: Object.values(TOKENS) },
  { title: 'Requests', entries: Object.values(REQUESTS) },
  { title: 'Speed of one request', entries: Object.values(LATENCY) },
  { title: 'SLOs', entries: Object.values(SLOS) },
  { title: 'Users', entries: Object.values(USERS) },
  { title: 'Upstreams', entries: Object.values(UPSTREAMS) },
  { title: 'Cost and capacity', entries: Object.values(CAPACITY) },
  { title: 'The gateway itself', entries: Object.values(GATEWAY) },
  { title: 'The process', entries: Object.values(PROCESS) },
  { title: 'OpenTelemetry names', note: OTEL_NOTE, entries: Object.values(OTEL) },
];

export const CATALOG: readonly MetricEntry[] = CATALOG_GROUPS.flatMap((group) => group.entries);
