/** What is asked of the engine. Whole numbers of at least 1. */
export interface TokenAsk {
  inputTokens: number;
  outputTokens: number;
}

/** One request on its way through the engine. */
export class Sequence {
  readonly id: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  prefilledTokens = 0;
  generatedTokens = 0;

  /** Throws RangeError where a count is no whole number of at least 1. */
  constructor(id: number, ask: TokenAsk) {
    for (const count of [ask.inputTokens, ask.outputTokens]) {
      if (!Number.isInteger(count) || count < 1)
        throw new RangeError(`token counts must be whole and at least 1, got ${count}`);
    }
    this.id = id;
    this.inputTokens = ask.inputTokens;
    this.outputTokens = ask.outputTokens;
  }

  get decoding(): boolean {
    return this.generatedTokens > 0;
  }

  get unprefilledTokens(): number {
    return this.inputTokens - this.prefilledTokens;
  }

  get contextTokens(): number {
    return this.prefilledTokens + this.generatedTokens;
  }

  get finished(): boolean {
    return this.generatedTokens >= this.outputTokens;
  }
}
