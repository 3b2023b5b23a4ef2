import { cutText } from '../meter/cut-text.ts';
import { OUTCOMES, type Outcome, USAGE_SOURCES, type UsageRecord, type UsageSource } from '../meter/record.ts';

/** What of a record is summed up. */
export type UsageLine = Pick<
  UsageRecord,
  | 'time'
  | 'user'
  | 'model'
  | 'upstream'
  | 'outcome'
  | 'usage_source'
  | 'input_tokens'
  | 'cached_input_tokens'
  | 'output_tokens'
  | 'reasoning_tokens'
  | 'output_characters'
  | 'ttft_ms'
  | 'decode_ms'
  | 'client_blocked_ms'
  | 'user_speed_tokens_per_second'
> & { workload: string | null; api: string | null };

/**
 * Why a line is no record. `torn`: no JSON, as a process that was killed leaves it. `log`: a line of the process log,
 * which shares standard output with a usage log there and alone has `msg` (CONTRACT §3). `foreign`: anything else.
 */
export const SKIPPED = ['torn', 'foreign', 'log'] as const;
export type Skipped = (typeof SKIPPED)[number];

/** Pitot writes none that is longer (CONTRACT §8); a file that does must not fill the memory with names. */
const LONGEST_NAME = 256;
const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** A thousand times what is believed of one count in an answer, since choices are added up: Pitot writes no more. */
const MOST_TOKENS = 1e12;
const TOKEN_FIELDS = ['input_tokens', 'cached_input_tokens', 'output_tokens', 'reasoning_tokens'] as const;
const OUTCOME_NAMES: ReadonlySet<unknown> = new Set(OUTCOMES);
const SOURCE_NAMES: ReadonlySet<unknown> = new Set(USAGE_SOURCES);

export function readUsageLine(text: string): UsageLine | Skipped {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'torn';
  }
  if (!isObject(value)) return 'foreign';
  if ('msg' in value) return 'log';
  const { time, outcome, usage_source: source } = value;
  if (!isTime(time) || !isOutcome(outcome) || !isSource(source)) return 'foreign';
  if (TOKEN_FIELDS.some((field) => (number(value[field]) ?? 0) > MOST_TOKENS)) return 'foreign';
  return {
    time,
    outcome,
    usage_source: source,
    user: name(value['user']),
    model: name(value['model']),
    upstream: name(value['upstream']),
    workload: name(value['workload']),
    api: name(value['api']),
    input_tokens: number(value['input_tokens']),
    cached_input_tokens: number(value['cached_input_tokens']),
    output_tokens: number(value['output_tokens']),
    reasoning_tokens: number(value['reasoning_tokens']),
    output_characters: number(value['output_characters']),
    ttft_ms: number(value['ttft_ms']),
    decode_ms: number(value['decode_ms']),
    client_blocked_ms: number(value['client_blocked_ms']) ?? 0,
    user_speed_tokens_per_second: number(value['user_speed_tokens_per_second']),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** As Pitot writes it, and in the calendar: `Date` would take 30 February for 2 March. */
function isTime(value: unknown): value is string {
  if (typeof value !== 'string' || !UTC_TIME.test(value)) return false;
  const time = new Date(value);
  return !Number.isNaN(time.getTime()) && time.toISOString() === value;
}

function isOutcome(value: unknown): value is Outcome {
  return OUTCOME_NAMES.has(value);
}

function isSource(value: unknown): value is UsageSource {
  return SOURCE_NAMES.has(value);
}

function name(value: unknown): string | null {
  return typeof value === 'string' ? cutText(value, LONGEST_NAME) : null;
}

function number(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY ? value : null;
}
