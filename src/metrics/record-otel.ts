import { LabelGuard, OTHER } from '../ledger/label-guard.ts';
import type { UsageSource } from '../meter/record.ts';
import { OTEL } from './catalog/otel.ts';
import type { MetricSet } from './metric-set.ts';
import { errorTypeOf } from './otel-attributes.ts';
import { type OtelLimits, type OtelOverflow, OtelSets, type OtelSources } from './otel-sets.ts';
import { type Recording, seconds } from './recording.ts';

/** The conventions' own word for an error beyond the cap: an upstream that makes status codes up must not mint series. */
const OTHER_ERROR = '_OTHER';
const MAX_ERROR_TYPES = 50;
const NO_ERROR = '';

/** Counts of the upstream's own: others must not be reported (gen_ai.client.token.usage). */
const COUNTED_UPSTREAM: ReadonlySet<UsageSource> = new Set<UsageSource>(['reported', 'partial']);

export interface OtelRecording extends Recording {
  limit(limits: OtelLimits): void;
  readonly overflow: OtelOverflow;
}

/**
 * The metrics of `metrics.otel_names`. Each is observed when its request has ended: only then is it known
 * whether it succeeded, and which server it is that answered. So no series begins at 0.
 */
export function recordOtel(set: MetricSet, sources: OtelSources, limits: OtelLimits): OtelRecording {
  const ttft = set.histogram(OTEL.serverTimeToFirstToken);
  const tpot = set.histogram(OTEL.serverTimePerOutputToken);
  const duration = set.histogram(OTEL.serverRequestDuration);
  const usage = set.histogram(OTEL.clientTokenUsage);
  const sets = new OtelSets(sources, limits);
  const errors = new LabelGuard({ max: MAX_ERROR_TYPES, always: [NO_ERROR] });
  const errorOf = (type: string) => (errors.admit(type) === OTHER ? OTHER_ERROR : type);

  return {
    overflow: sets.overflow,
    limit: (next) => sets.limit(next),
    seen() {},
    finished(finished) {
      const values = sets.setOf(finished);
      if (values === null) return;
      const { record, slowClient } = finished;
      duration.observe(duration.row([...values, errorOf(errorTypeOf(record))]), seconds(record.e2e_ms));
      if (COUNTED_UPSTREAM.has(record.usage_source)) {
        for (const type of ['input', 'output'] as const) {
          const tokens = record[`${type}_tokens`];
          if (tokens !== null) usage.observe(usage.row([...values, type]), tokens);
        }
      }
      if (record.outcome !== 'complete') return;
      if (record.ttft_ms !== null) ttft.observe(ttft.row(values), seconds(record.ttft_ms));
      if (record.tpot_ms !== null && !slowClient) tpot.observe(tpot.row(values), seconds(record.tpot_ms));
    },
  };
}
