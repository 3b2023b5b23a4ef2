/** So often in a row the count of another choice was the higher one: counts of each choice's own do not do that. */
const RISES = 8;

/** What a chunk tells beside the count of its choice. */
export interface CountSigns {
  /** The count can only be that choice's own. */
  isOwn?: boolean;
  /** The chunk has text, so its choice has a token that it did not have before. */
  hasText?: boolean;
  /** The choice is cut at its longest. */
  isFull?: boolean;
}

/**
 * Of several choices, each chunk may count the tokens of its own choice, which add up (vLLM), or those of the whole
 * request so far, which do not (xAI, Perplexity); nobody says which. A count of the whole never falls, and grows with
 * every text, whosever it is. What was counted once or twice can be either.
 */
export class KindOfCounts {
  kind: 'own' | 'whole' | null;
  #input: number | undefined;
  #highest = -1;
  #highestOf = -1;
  #rises = 0;
  /** Choices that were cut at their longest; null before the first. */
  #full: Set<number> | null = null;

  constructor(kind: 'own' | null) {
    this.kind = kind;
  }

  see(choice: number, said: { inputTokens?: number; outputTokens?: number }, signs: CountSigns): void {
    if (signs.isFull) this.#noteFull(choice);
    if (this.kind !== null) return;
    if (signs.isOwn || this.#hasOtherInput(said.inputTokens)) this.kind = 'own';
    else if (said.outputTokens !== undefined) this.#seeOutput(choice, said.outputTokens, signs.hasText ?? false);
  }

  /** The choices have ended with these counts. The same for all is the whole's, unless each was cut at that length. */
  conclude(counts: ReadonlyMap<number, number>): void {
    if (this.kind !== null || counts.size < 2 || this.#full?.size === counts.size) return;
    if (new Set(counts.values()).size === 1) this.kind = 'whole';
  }

  #noteFull(choice: number): void {
    this.#full ??= new Set();
    this.#full.add(choice);
  }

  /** Every choice answers a prompt of its own. */
  #hasOtherInput(tokens: number | undefined): boolean {
    this.#input ??= tokens;
    return tokens !== undefined && tokens !== this.#input;
  }

  #seeOutput(choice: number, tokens: number, hasText: boolean): void {
    const isAnothers = this.#highestOf >= 0 && this.#highestOf !== choice;
    const stands = tokens === this.#highest && hasText;
    if (isAnothers && (tokens < this.#highest || stands)) this.kind = 'own';
    if (tokens <= this.#highest) return;
    this.#highest = tokens;
    this.#highestOf = choice;
    if (isAnothers) this.#rises += 1;
    if (this.#rises >= RISES) this.kind = 'whole';
  }
}
