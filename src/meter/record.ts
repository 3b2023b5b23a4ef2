import type { Api, ServerTimings } from '../wire/facts.ts';

/** How a request ended (CONTRACT §6.7). Exactly one for every request. */
export const OUTCOMES = [
  'complete',
  'error_in_stream',
  'truncated',
  'client_aborted',
  'upstream_error',
  'upstream_reset',
  'upstream_timeout',
  'upstream_unreachable',
  'rejected',
  'gateway_shutdown',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Where the output count comes from (CONTRACT §6.4). */
export const USAGE_SOURCES = ['reported', 'partial', 'estimated', 'none'] as const;
export type UsageSource = (typeof USAGE_SOURCES)[number];

/** Phases of a generation in flight (CONTRACT §1). */
export const PHASES = ['prefill', 'decode', 'unstreamed'] as const;
export type Phase = (typeof PHASES)[number];

/** The SLOs a request can be judged on (CONTRACT §6.9). */
export const SLOS = ['ttft', 'tpot', 'speed', 'gap', 'e2e', 'all'] as const;
export type Slo = (typeof SLOS)[number];

/**
 * One line of the usage log (CONTRACT §8), in its public names. Unknown is null, never 0.
 * Holds no prompt, no output text, no key and no query string.
 */
export interface UsageRecord {
  time: string;
  started_at: string;
  id: string;
  request_id: string | null;
  upstream_request_id: string | null;
  trace_id: string | null;
  user: string | null;
  upstream: string | null;
  /** The name the answer carried, else the requested one once an answer confirmed it. */
  model: string | null;
  requested_model: string | null;
  api: Api;
  workload: string;
  method: string;
  path: string;
  stream: boolean;
  status: number;
  outcome: Outcome;
  finish_reason: string | null;
  error: string | null;
  input_tokens: number | null;
  cached_input_tokens: number | null;
  cache_write_input_tokens: number | null;
  output_tokens: number | null;
  reasoning_tokens: number | null;
  usage_source: UsageSource;
  choices: number | null;
  output_characters: number | null;
  chunks: number | null;
  request_bytes: number;
  response_bytes: number;
  ttfb_ms: number | null;
  ttft_ms: number | null;
  ttfa_ms: number | null;
  tpot_ms: number | null;
  decode_ms: number | null;
  longest_gap_ms: number | null;
  e2e_ms: number;
  upload_ms: number | null;
  client_blocked_ms: number;
  user_speed_tokens_per_second: number | null;
  end_to_end_speed_tokens_per_second: number | null;
  characters_per_second: number | null;
  concurrency_at_start: number | null;
  slo: Partial<Record<Slo, boolean>>;
  server_timings: ServerTimings | null;
  worker: number;
  instance: string;
}
