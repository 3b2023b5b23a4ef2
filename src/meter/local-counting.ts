import { KeptText, type OutputText } from './kept-text.ts';
import type { MemoryBound } from './memory-bound.ts';
import type { TextBlocks } from './text-blocks.ts';

/** What the upstream did not count. */
export interface UncountedText {
  model: string | null;
  output: readonly OutputText[];
  /** The request body, as it was sent; null where it was not kept whole. */
  input: { json: Uint8Array } | null;
}

/** Null is unknown: there was no text, or it was too much. */
export interface LocalCount {
  outputTokens: number | null;
  inputTokens: number | null;
  /** Only a part of the output was counted, and the rest is extrapolated. */
  isExtrapolated: boolean;
}

/** How the local count of an answer went that nobody else counted; `fell_back`: to the live estimate. */
export type LocalCountResult = 'counted' | 'extrapolated' | 'fell_back';

/** The local tokenizer, as a request uses it, and the memory that texts may take which wait to be counted. */
export interface LocalCounting {
  /** A text of this model may have to be counted soon. */
  prepare(model: string | null): void;
  /** Never rejects; null when it gave up. */
  count(text: UncountedText): Promise<LocalCount | null>;
  onResult(result: LocalCountResult): void;
  readonly prompts: MemoryBound;
  readonly outputs: TextBlocks;
}

/**
 * The prompt and the output of one request, kept for a count that is needed when the upstream's own
 * does not come: because it never sends one, or because its answer breaks off. `take` ends it.
 */
export class KeptTexts {
  readonly output: KeptText;
  readonly #prompts: MemoryBound;
  #prompt: Uint8Array | null = null;

  constructor({ prompts, outputs }: Pick<LocalCounting, 'prompts' | 'outputs'>) {
    this.#prompts = prompts;
    this.output = new KeptText(outputs);
  }

  /** The request body; left out where all prompts together are too much. */
  prompt(json: Uint8Array): void {
    if (this.#prompt === null && this.#prompts.take(json.byteLength)) this.#prompt = json;
  }

  /** What is wanted of it, and nothing is kept any more. Null when there is nothing to count, or nothing was kept whole. */
  take(wanted: { output: boolean; input: boolean }): Pick<UncountedText, 'output' | 'input'> | null {
    const output = (wanted.output ? this.output.outputs() : null) ?? [];
    const input = wanted.input && this.#prompt !== null ? { json: this.#prompt } : null;
    this.#release();
    return output.length === 0 && input === null ? null : { output, input };
  }

  #release(): void {
    this.output.release();
    this.#prompts.giveBack(this.#prompt?.byteLength ?? 0);
    this.#prompt = null;
  }
}
