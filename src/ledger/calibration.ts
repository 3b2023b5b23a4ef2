import type { Lesson } from '../meter/live-account.ts';

/** What was relayed of one stream. */
export interface Emitted {
  characters: number;
  chunks: number;
}

/**
 * How many tokens a relayed chunk holds, learned per upstream and model from finished streams whose
 * tokens were counted (CONTRACT §6.5, DESIGN §4): by the upstream or, as long as it never reported
 * any, by the local tokenizer. Two predictors run side by side, tokens per character and tokens per
 * chunk; the one that has been closer of late speaks. Characters win ties: chunk sizes change with
 * load and speculative decoding, the tokenizer does not. And where the chunks of a stream are of
 * another size than those that were learned from, only characters are asked.
 */
export class Calibration {
  #perCharacter = new Predictor();
  #perChunk = new Predictor();
  #chunkSize = new Predictor();
  /** The upstream's own tokenizer has spoken: what another one counts is of no use any more. */
  #knowsReports = false;

  /** Expected tokens in the newest chunks of a stream, one unless told otherwise. Before anything was learned: one per chunk. */
  tokens(characters: number, stream: Emitted, chunks = 1): number {
    const byCharacter = this.#perCharacter.ratio;
    const byChunk = this.#perChunk.ratio;
    if (byChunk === null) return chunks;
    const isCloser = this.#perChunk.error < this.#perCharacter.error && this.#isUsualSize(stream);
    return byCharacter === null || isCloser ? byChunk * chunks : byCharacter * characters;
  }

  /** Expected tokens of a text that came in one piece; null before anything was learned. */
  tokensOfText(characters: number): number | null {
    const byCharacter = this.#perCharacter.ratio;
    return byCharacter === null ? null : byCharacter * characters;
  }

  learn(lesson: Lesson): void {
    const { visibleTokens, characters, chunks, isReported } = lesson;
    if (visibleTokens <= 0 || (this.#knowsReports && !isReported)) return;
    if (isReported && !this.#knowsReports) this.#startFromReports();
    if (characters > 0) this.#perCharacter.learn(visibleTokens, characters);
    if (chunks > 0) this.#perChunk.learn(withoutEndToken(visibleTokens, chunks), chunks);
    if (chunks > 0 && characters > 0) this.#chunkSize.learn(characters, chunks);
  }

  #startFromReports(): void {
    this.#knowsReports = true;
    this.#perCharacter = new Predictor();
    this.#perChunk = new Predictor();
    this.#chunkSize = new Predictor();
  }

  /** A few words are longer or shorter by chance: the more chunks, the closer to the learned size they must be. */
  #isUsualSize({ characters, chunks }: Emitted): boolean {
    const usual = this.#chunkSize.ratio;
    if (usual === null || chunks < SIZE_KNOWN_AFTER) return true;
    const share = characters / chunks / usual;
    const tolerance = SIZE_TOLERANCE + 1 / Math.sqrt(chunks);
    return share < 1 + tolerance && share > 1 / (1 + tolerance);
  }
}

/** Weight of what was known before a new lesson; five lessons make the old ones a third. */
const MEMORY = 0.8;
/** Chunks of a stream before their size means anything, and how far it may be from the learned one. */
const SIZE_KNOWN_AFTER = 4;
const SIZE_TOLERANCE = 0.15;

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
 * short answers of one token a chunk teach that a chunk holds more than it does, and long ones would
 * be overcounted. Where chunks hold several tokens it is no more than noise.
 */
function withoutEndToken(tokens: number, chunks: number): number {
  return tokens === chunks + 1 ? chunks : tokens;
}
