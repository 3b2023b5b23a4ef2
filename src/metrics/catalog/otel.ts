import { OTEL_DURATION_SECONDS, OTEL_TOKENS, OTEL_TPOT_SECONDS, OTEL_TTFT_SECONDS } from '../buckets.ts';
import type { MetricEntry } from './entry.ts';

/**
 * The attributes that all of them have, dots written as underscores: the set G. What is not known is an
 * empty value, which Prometheus takes for an absent label.
 */
export const G = [
  'gen_ai_operation_name',
  'gen_ai_provider_name',
  'gen_ai_request_model',
  'gen_ai_response_model',
  'server_address',
  'server_port',
] as const;

export const OTEL_NOTE = [
  'Only with `metrics.otel_names`, as it stands when Pitot starts: what was measured for the metrics above once more, under the names, attributes and buckets of the [OpenTelemetry GenAI conventions](https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/gen-ai-metrics.md), for dashboards that know those. The conventions are in development and may rename them; ours stay.',
  '',
  "- `server_address` and `server_port` are of the upstream. `gen_ai_provider_name` is the engine, configured or recognised (the convention's value where it has one, else our name for it), and for an unknown one the owner of the API. An empty label is an attribute that is not there.",
  '- `gen_ai_request_model` is told of models that an answer confirmed, else `unknown`; past `limits.max_models`, or past `limits.max_label_sets` sets, names are `other`, counted in `pitot_label_overflow_total`. Users and workloads have no attribute.',
  "- The conventions' buckets are coarse: every stream faster than 100 tokens per second is in the first bucket of the time per output token, every answer longer than 82 s above the last of the duration. For quantiles use ours.",
].join('\n');

/**
 * The names of OpenTelemetry's GenAI conventions (open-telemetry/semantic-conventions-genai,
 * docs/gen-ai/gen-ai-metrics.md; status Development), translated as its Prometheus exporters do: dots to
 * underscores, the unit `s` to `_seconds`, the annotation `{token}` dropped.
 */
export const OTEL = {
  serverTimeToFirstToken: {
    name: 'gen_ai_server_time_to_first_token_seconds',
    type: 'histogram',
    labels: G,
    buckets: OTEL_TTFT_SECONDS,
    addsUp: 'sum',
    unit: 'seconds',
    only: 'otel_names',
    help: 'gen_ai.server.time_to_first_token: our TTFT, taken at the gateway, of streamed answers that ended well. Observed at the end.',
  },
  serverTimePerOutputToken: {
    name: 'gen_ai_server_time_per_output_token_seconds',
    type: 'histogram',
    labels: G,
    buckets: OTEL_TPOT_SECONDS,
    addsUp: 'sum',
    unit: 'seconds',
    only: 'otel_names',
    help: 'gen_ai.server.time_per_output_token: our TPOT, to the last token, not to the end of the answer; of answers that ended well, without slow clients.',
  },
  serverRequestDuration: {
    name: 'gen_ai_server_request_duration_seconds',
    type: 'histogram',
    labels: [...G, 'error_type'],
    buckets: OTEL_DURATION_SECONDS,
    addsUp: 'sum',
    unit: 'seconds',
    only: 'otel_names',
    help: 'gen_ai.server.request.duration: our E2E, taken at the gateway. error_type is empty for success, the status of an error answer, else the outcome.',
  },
  clientTokenUsage: {
    name: 'gen_ai_client_token_usage',
    type: 'histogram',
    labels: [...G, 'gen_ai_token_type'],
    buckets: OTEL_TOKENS,
    addsUp: 'sum',
    unit: 'tokens',
    only: 'otel_names',
    help: 'gen_ai.client.token.usage: input and output tokens of a request, Pitot being the client. Only what the upstream counted: the conventions want no estimates.',
  },
} as const satisfies Record<string, MetricEntry>;
