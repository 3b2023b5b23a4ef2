import type { FactSink, UsageSnapshot } from './facts.ts';
import { count } from './json.ts';

/**
 * Reads the token counts of one answer. What is no count (a string, a negative or an absurd number)
 * is not said, and the answer is reported once as holding bad usage. Null and absent are just not said.
 */
export class CountReader {
  readonly #sink: FactSink;
  #reported = false;

  constructor(sink: FactSink) {
    this.#sink = sink;
  }

  read(value: unknown): number | undefined {
    if (value === undefined || value === null) return undefined;
    const known = count(value);
    if (known !== null) return known;
    this.bad();
    return undefined;
  }

  /** The sum of counts, unless one of them was not said. */
  sum(parts: readonly (number | undefined)[]): number | undefined {
    let total = 0;
    for (const part of parts) {
      if (part === undefined) return undefined;
      total += part;
    }
    return this.read(total);
  }

  bad(): void {
    if (this.#reported) return;
    this.#reported = true;
    this.#sink.degraded('bad_usage');
  }
}

/** A snapshot of the counts that were said. */
export function snapshotOf(counts: { readonly [Field in keyof UsageSnapshot]: number | undefined }): UsageSnapshot {
  const snapshot: UsageSnapshot = {};
  const { inputTokens, cachedInputTokens, cacheWriteInputTokens, outputTokens, reasoningTokens } = counts;
  if (inputTokens !== undefined) snapshot.inputTokens = inputTokens;
  if (cachedInputTokens !== undefined) snapshot.cachedInputTokens = cachedInputTokens;
  if (cacheWriteInputTokens !== undefined) snapshot.cacheWriteInputTokens = cacheWriteInputTokens;
  if (outputTokens !== undefined) snapshot.outputTokens = outputTokens;
  if (reasoningTokens !== undefined) snapshot.reasoningTokens = reasoningTokens;
  return snapshot;
}

/** A snapshot without input and output says nothing that the others could be a part of. */
export function saysCounts(snapshot: UsageSnapshot): boolean {
  return snapshot.inputTokens !== undefined || snapshot.outputTokens !== undefined;
}
