/**
 * How many tokens a relayed chunk holds, learned per upstream and model from finished streams whose
 * usage was reported (CONTRACT §6.5, DESIGN §4). Two predictors run side by side, tokens per
 * character and tokens per chunk; the one that has been closer of late speaks. Characters win ties:
 * chunk sizes change with load and speculative decoding, the tokenizer does not.
 */
export class Calibration {
  readonly #perCharacter = new Predictor();
  readonly #perChunk = new Predictor();

  /** Expected tokens in this much output. Before anything was learned: one per chunk. */
  tokens(characters: number, chunks: number): number {
    const byCharacter = this.#perCharacter.ratio;
    const byChunk = this.#perChunk.ratio;
    if (byChunk === null) return chunks;
    if (byCharacter === null || this.#perChunk.error < this.#perCharacter.error) return byChunk * chunks;
    return byCharacter * characters;
  }

  learn(lesson: { visibleTokens: number; characters: number; chunks: number }): void {
    if (lesson.visibleTokens <= 0) return;
    if (lesson.characters > 0) this.#perCharacter.learn(lesson.visibleTokens, lesson.characters);
    if (lesson.chunks > 0) this.#perChunk.learn(withoutEndToken(lesson.visibleTokens, lesson.chunks), lesson.chunks);
  }
}

/** Weight of what was known before a new lesson; five lessons make the old ones a third. */
const MEMORY = 0.8;

/** A ratio of sums, so that long answers weigh more, with exponentially fading memory. */
class Predictor {
  /** Mean relative error of predictions made before each lesson was known. */
  error = 0;
  #tokens = 0;
  #units = 0;

  get ratio(): number | null {
    return this.#units === 0 ? null : this.#tokens / this.#units;
  }

  learn(tokens: number, units: number): void {
    const ratio = this.ratio;
    if (ratio !== null) {
      const missed = Math.abs(ratio * units - tokens) / tokens;
      this.error = MEMORY * this.error + (1 - MEMORY) * missed;
    }
    this.#tokens = MEMORY * this.#tokens + tokens;
    this.#units = MEMORY * this.#units + units;
  }
}

/**
 * A counted end-of-sequence token has no chunk of its own (FORMATS §18). Left in, it would make
 * short answers teach that a chunk holds more than it does, and long ones would be overcounted.
 */
function withoutEndToken(tokens: number, chunks: number): number {
  const whole = Math.max(1, Math.round(tokens / chunks)) * chunks;
  return Math.abs(tokens - whole) <= 2 ? whole : tokens;
}
