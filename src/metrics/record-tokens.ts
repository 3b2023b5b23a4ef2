import type { Outcome, UsageRecord } from '../meter/record.ts';
import { TOKENS } from './catalog/tokens.ts';
import type { MetricSet } from './metric-set.ts';
import { type Recording, valuesM, valuesW } from './recording.ts';

const CACHES = ['hit', 'miss', 'unknown'] as const;
type Cache = (typeof CACHES)[number];

const WASTE_REASONS = ['client_aborted', 'error', 'truncated'] as const;
type WasteReason = (typeof WASTE_REASONS)[number];

/** For whom output of a request that ended like this was produced: null for its client, else nobody. */
const WASTED_BY: Readonly<Record<Outcome, WasteReason | null>> = {
  complete: null,
  client_aborted: 'client_aborted',
  truncated: 'truncated',
  error_in_stream: 'error',
  upstream_error: 'error',
  upstream_reset: 'error',
  upstream_timeout: 'error',
  upstream_unreachable: 'error',
  rejected: 'error',
  gateway_shutdown: 'error',
};

/** Tokens as finished requests tell them. Output tokens are not here: the ledger counts them live. */
export function recordTokens(set: MetricSet): Recording {
  const input = set.counter(TOKENS.inputTokens);
  const reasoning = set.counter(TOKENS.reasoningTokens);
  const wasted = set.counter(TOKENS.wastedOutputTokens);
  const inputLength = set.histogram(TOKENS.requestInputTokens);
  const outputLength = set.histogram(TOKENS.requestOutputTokens);

  return {
    seen({ labels, generates }) {
      if (!generates) return;
      for (const cache of CACHES) input.row([...valuesW(labels), cache]);
      for (const reason of WASTE_REASONS) wasted.row([...valuesM(labels), reason]);
      reasoning.row(valuesM(labels));
      inputLength.row(valuesM(labels));
      outputLength.row(valuesM(labels));
    },
    finished({ record, labels, generation }) {
      // Embeddings read input, too, and make no output.
      for (const [cache, tokens] of inputByCache(record)) {
        input.add(input.row([...valuesW(labels), cache]), tokens);
      }
      if (!generation) return;
      if (record.input_tokens !== null) inputLength.observe(inputLength.row(valuesM(labels)), record.input_tokens);
      if (record.reasoning_tokens !== null) reasoning.add(reasoning.row(valuesM(labels)), record.reasoning_tokens);
      if (record.output_tokens === null) return;
      outputLength.observe(outputLength.row(valuesM(labels)), record.output_tokens);
      const reason = WASTED_BY[record.outcome];
      if (reason !== null) wasted.add(wasted.row([...valuesM(labels), reason]), record.output_tokens);
    },
  };
}

/** Hit and miss add up to the input, also where an upstream claims more cached tokens than it read. */
function inputByCache(record: Readonly<UsageRecord>): [Cache, number][] {
  const { input_tokens: input, cached_input_tokens: cached } = record;
  if (input === null) return [];
  if (cached === null) return [['unknown', input]];
  const hit = Math.min(cached, input);
  return [
    ['hit', hit],
    ['miss', input - hit],
  ];
}
