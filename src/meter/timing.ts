import { GapBins, type GapsSoFar } from './gaps.ts';

/** All that is known of when output arrived, in plain numbers. */
export interface TimingSoFar {
  firstTokenMs: number | null;
  firstAnswerMs: number | null;
  lastTokenMs: number | null;
  chunks: number;
  characters: number;
  choices: [choice: number, timing: ChoiceTiming][];
  gaps: GapsSoFar | null;
}

/** When the output of one choice came, and how much of it. */
interface ChoiceTiming {
  firstMs: number;
  lastMs: number;
  chunks: number;
  characters: number;
}

/**
 * When output arrived. TTFT, TTFA, gaps and TPOT are decided here (CONTRACT §1).
 * All times are monotonic milliseconds, stamped when the bytes were read from the upstream.
 */
export class OutputTiming {
  firstTokenMs: number | null = null;
  /** First payload of the answer proper: content or a tool call, not reasoning. */
  firstAnswerMs: number | null = null;
  lastTokenMs: number | null = null;
  /** Output events; an event may hold several tokens. */
  chunks = 0;
  characters = 0;
  gaps: GapBins | null = null;
  readonly #choices = new Map<number, ChoiceTiming>();
  /** The choice that was told last: of most answers, the only one. */
  #newest: ChoiceTiming | null = null;
  #newestChoice = 0;

  /** As another process told it. */
  static of({ choices, gaps, ...told }: TimingSoFar): OutputTiming {
    const timing = Object.assign(new OutputTiming(), told);
    timing.gaps = gaps === null ? null : GapBins.of(gaps);
    for (const [choice, one] of choices) timing.#choices.set(choice, one);
    return timing;
  }

  get soFar(): TimingSoFar {
    const { firstTokenMs, firstAnswerMs, lastTokenMs, chunks, characters, gaps } = this;
    const choices = [...this.#choices].map(([choice, timing]) => [choice, { ...timing }] as [number, ChoiceTiming]);
    return { firstTokenMs, firstAnswerMs, lastTokenMs, chunks, characters, choices, gaps: gaps?.soFar ?? null };
  }

  /** One output event arrived. */
  arrived(atMs: number): void {
    this.chunks += 1;
    if (this.lastTokenMs === null) this.firstTokenMs = atMs;
    else {
      this.gaps ??= new GapBins();
      this.gaps.add(atMs - this.lastTokenMs);
    }
    this.lastTokenMs = atMs;
  }

  answered(atMs: number): void {
    this.firstAnswerMs ??= atMs;
  }

  /** Payload of one choice in the event that arrives at `atMs`. */
  payload(choice: number, characters: number, atMs: number): void {
    this.characters += characters;
    const isNewest = this.#newestChoice === choice && this.#newest !== null;
    const timing = isNewest ? this.#newest : (this.#choices.get(choice) ?? null);
    if (timing === null) {
      this.#newest = { firstMs: atMs, lastMs: atMs, chunks: 1, characters };
      this.#newestChoice = choice;
      this.#choices.set(choice, this.#newest);
      return;
    }
    this.#newest = timing;
    this.#newestChoice = choice;
    timing.lastMs = atMs;
    timing.chunks += 1;
    timing.characters += characters;
  }

  get choices(): number {
    return this.#choices.size;
  }

  /** First to last token, in milliseconds; null without a token. */
  get decodeMs(): number | null {
    return this.firstTokenMs === null || this.lastTokenMs === null ? null : this.lastTokenMs - this.firstTokenMs;
  }

  /**
   * TPOT = (last token − first token) / (visible tokens − 1), in milliseconds. Needs two visible
   * tokens and two output chunks at different times, else null. With several choices: the mean of
   * theirs, each from its own count where the upstream counts choices apart, else from its share of
   * the characters.
   */
  tpotMs(visibleTokens: number | null, tokensOfChoice: (choice: number) => number | null): number | null {
    if (visibleTokens === null) return null;
    if (this.#choices.size <= 1) return tpot(this.decodeMs ?? 0, visibleTokens);
    let sum = 0;
    let counted = 0;
    for (const [choice, timing] of this.#choices) {
      const share = this.characters > 0 ? timing.characters / this.characters : timing.chunks / this.chunks;
      const own = tpot(timing.lastMs - timing.firstMs, tokensOfChoice(choice) ?? visibleTokens * share);
      if (own === null) continue;
      sum += own;
      counted += 1;
    }
    return counted === 0 ? null : sum / counted;
  }
}

function tpot(decodeMs: number, tokens: number): number | null {
  return tokens >= 2 && decodeMs > 0 ? decodeMs / (tokens - 1) : null;
}
