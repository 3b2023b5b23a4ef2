import { OUTCOMES, type Outcome, USAGE_SOURCES, type UsageSource } from '../meter/record.ts';
import { isSlowClient } from '../meter/slow-client.ts';
import { Quantiles } from './quantiles.ts';
import type { UsageLine } from './usage-line.ts';

/** Numbers of which a record may say nothing. */
const TOKENS = ['input_tokens', 'cached_input_tokens', 'output_tokens', 'reasoning_tokens'] as const;
type TokenField = (typeof TOKENS)[number];

/** Requests by where their count comes from (CONTRACT §6.4), and the output tokens that stand on it. */
export interface SourceTotal {
  requests: number;
  outputTokens: number;
}

/** The sum over some records. */
export class Totals {
  requests = 0;
  readonly outcomes = zeros(OUTCOMES, () => 0) as Record<Outcome, number>;
  readonly sources = zeros(USAGE_SOURCES, () => ({ requests: 0, outputTokens: 0 })) as Record<UsageSource, SourceTotal>;
  /** Null: no record says. */
  readonly tokens = zeros(TOKENS, () => null) as Record<TokenField, number | null>;
  /** Requests that had output, as far as one can tell, and no count of it (CONTRACT §6.4). */
  uncounted = 0;
  /** Requests whose output was counted and whose input nobody knows: the sum of inputs lacks theirs. */
  inputUnknown = 0;
  /** Output tokens per second of one request while it decodes; without requests whose client read slowly. */
  readonly speed = new Quantiles();
  readonly ttftMs = new Quantiles();
  /** Ends of the first and the last request, RFC 3339 in UTC; empty without any. */
  first = '';
  last = '';

  add(line: UsageLine): void {
    this.requests += 1;
    this.outcomes[line.outcome] += 1;
    const source = this.sources[line.usage_source];
    source.requests += 1;
    source.outputTokens += line.output_tokens ?? 0;
    for (const field of TOKENS) this.#addTokens(field, line[field]);
    if (isUncounted(line)) this.uncounted += 1;
    if (line.output_tokens !== null && line.input_tokens === null) this.inputUnknown += 1;
    if (line.ttft_ms !== null) this.ttftMs.add(line.ttft_ms);
    const { user_speed_tokens_per_second: speed, client_blocked_ms: blockedMs, decode_ms: decodeMs } = line;
    if (speed !== null && !isSlowClient(blockedMs ?? 0, decodeMs)) this.speed.add(speed);
    this.#span(line.time, line.time);
  }

  merge(other: Totals): void {
    this.requests += other.requests;
    for (const outcome of OUTCOMES) this.outcomes[outcome] += other.outcomes[outcome];
    for (const name of USAGE_SOURCES) {
      this.sources[name].requests += other.sources[name].requests;
      this.sources[name].outputTokens += other.sources[name].outputTokens;
    }
    for (const field of TOKENS) this.#addTokens(field, other.tokens[field]);
    this.uncounted += other.uncounted;
    this.inputUnknown += other.inputUnknown;
    this.speed.merge(other.speed);
    this.ttftMs.merge(other.ttftMs);
    if (other.requests > 0) this.#span(other.first, other.last);
  }

  #addTokens(field: TokenField, count: number | null): void {
    if (count !== null) this.tokens[field] = (this.tokens[field] ?? 0) + count;
  }

  /** Times of one form compare as text. */
  #span(first: string, last: string): void {
    if (this.first === '' || first < this.first) this.first = first;
    if (last > this.last) this.last = last;
  }
}

/** APIs under which nothing is generated: a list of models, a tunnel. */
const NOT_GENERATING: ReadonlySet<string | null> = new Set(['other', 'websocket']);

/** No count is no lack of one where nothing was generated: a refused request, or one whose client left before. */
function isUncounted({ usage_source: source, outcome, api, output_characters: characters }: UsageLine): boolean {
  if (source !== 'none') return false;
  return (characters ?? 0) > 0 || (outcome === 'complete' && !NOT_GENERATING.has(api));
}

/** One value for each name; the types of the standard library know no names here. */
function zeros<V>(names: readonly string[], make: () => V): Record<string, V> {
  return Object.fromEntries(names.map((name) => [name, make()]));
}
