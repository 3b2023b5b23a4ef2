import { CountReader, saysCounts, snapshotOf } from '../counts.ts';
import type { FactSink, UsageSnapshot } from '../facts.ts';
import { type JsonObject, object } from '../json.ts';

/**
 * The usage of one answer in canonical counts. Anthropic counts input apart from what was read from
 * and written to the cache, and says each part at the start, at the end, or at both (FAULTS B09 to
 * B11). So each part rises by itself, and the input is their sum.
 */
export class AnthropicUsage {
  readonly #sink: FactSink;
  readonly #counts: CountReader;
  #uncached: number | undefined;
  #cacheRead: number | undefined;
  #cacheWrite: number | undefined;

  constructor(sink: FactSink) {
    this.#sink = sink;
    this.#counts = new CountReader(sink);
  }

  /**
   * At the start the input is known, unless it is 0, which servers say that translate from another API.
   * The output count that stands beside it (1 to 8) is no count yet.
   */
  readFirst(usage: JsonObject | null): void {
    if (usage === null) return;
    const said = this.#readInput(usage);
    if (said.inputTokens !== undefined && said.inputTokens > 0) this.#sink.usage(said, false);
  }

  /** The whole count so far. `final`: the answer has its stop reason. */
  readLast(usage: JsonObject | null, final: boolean): void {
    if (usage === null) return;
    const said = snapshotOf({
      ...this.#readInput(usage),
      outputTokens: this.#counts.read(usage['output_tokens']),
      reasoningTokens: this.#counts.read(object(usage['output_tokens_details'])?.['thinking_tokens']),
    });
    if (saysCounts(said)) this.#sink.usage(said, final);
  }

  #readInput(usage: JsonObject): UsageSnapshot {
    this.#uncached = greater(this.#uncached, this.#counts.read(usage['input_tokens']));
    this.#cacheRead = greater(this.#cacheRead, this.#counts.read(usage['cache_read_input_tokens']));
    this.#cacheWrite = greater(this.#cacheWrite, this.#counts.read(usage['cache_creation_input_tokens']));
    return snapshotOf({
      inputTokens: this.#counts.sum([this.#uncached, this.#cacheRead ?? 0, this.#cacheWrite ?? 0]),
      cachedInputTokens: this.#cacheRead,
      cacheWriteInputTokens: this.#cacheWrite,
    });
  }
}

function greater(known: number | undefined, said: number | undefined): number | undefined {
  return said === undefined ? known : Math.max(known ?? 0, said);
}
