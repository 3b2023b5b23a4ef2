import { CATALOG } from '../../src/metrics/catalog.ts';

/** Figures that the panels show by our own names. */
const BY_OTHER_NAMES = CATALOG.filter(({ only }) => only === 'otel_names').map(({ name }) => [
  name,
  'a figure of the panels by another name, only with `metrics.otel_names`',
]);

/** Metrics that no dashboard shows, and why. A contract test finds every other metric of the catalog on a panel. */
export const UNSHOWN: Readonly<Record<string, string>> = {
  pitot_throughput_tokens_per_second_per_gpu:
    'does not add up over replicas; the panel divides summed rates by the GPUs',
  pitot_cost_dollars_per_million_output_tokens:
    'does not add up over replicas; the panel divides dollars by summed tokens',
  pitot_user_end_to_end_speed_tokens_per_second: 'only with `metrics.extra`',
  pitot_user_speed_characters_per_second: 'only with `metrics.extra`',
  pitot_prefill_speed_tokens_per_second: 'only with `metrics.extra`; the panel divides counters that are always there',
  nodejs_heap_size_total_bytes: 'a part of resident memory, for whoever looks for a leak',
  nodejs_heap_size_used_bytes: 'a part of resident memory, for whoever looks for a leak',
  nodejs_external_memory_bytes: 'a part of resident memory, for whoever looks for a leak',
  ...Object.fromEntries(BY_OTHER_NAMES),
};
