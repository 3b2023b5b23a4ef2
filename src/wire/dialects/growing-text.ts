/** A character that stands for bytes whose rest has not come yet; the next event may replace it. */
const REPLACEMENT = 0xfffd;
/** Characters at the end of what is known that must stand in the next text, for that to be a continuation. */
const WITNESSES = 16;
/** So many texts in a row, each of which goes on from the one before it, are no chance, however short. */
const GROWTHS = 3;
/** Tokens in a row that leave the text as it was: more are not hidden (special ones, or half a character). */
const MOST_HIDDEN = 4;
/** What may be held back of texts that are not yet understood. */
const MOST_OWED = 4096;

/** What the event of a text says beside it. */
export interface TextSigns {
  /** The text is the whole of it (or else a part); null where the event does not give that away. */
  isWhole: boolean | null;
  /** Tokens so far, and how many of them are new; null where they are not counted. */
  tokens: number | null;
  newTokens: number | null;
}

/**
 * What is new in the next text of an answer that sends all of its text in every event, or only the new
 * part of it: SGLang does either, and says it nowhere. A text that does not go on from the last one is a
 * part, and then all are. One that does is whole, unless it repeats itself: "ha", "ha" is "ha" and a hidden
 * token, or "haha". The tokens decide: those of a part write all of it, those of a whole only what is new.
 *
 * Undecidable is what from its first token on stands still for good (one text, again and again, and no ids): it
 * counts as whole for four more tokens, of which an end token is one, and then as parts, the first ones included.
 */
export class GrowingText {
  #kind: 'whole' | 'parts' | null = null;
  #seemsParts = false;
  #length = 0;
  #witness = 0;
  #firstLength = 0;
  #firstTokens = 0;
  #growths = 0;
  #standingTokens = 0;
  /** What is missing, should the texts so far have been parts. */
  #owed = '';

  next(text: string, signs: TextSigns): string {
    if (this.#kind === null) this.#judge(text, signs);
    if (this.#kind === 'parts') return this.#withOwed(text);
    const from = this.#length;
    const to = settledLength(text);
    if (to > from) {
      this.#length = to;
      this.#witness = witnessOf(text, to);
    }
    if (this.#kind === null) {
      if (this.#seemsParts) return this.#withOwed(text);
      this.#owe(text.slice(0, from));
    }
    return to > from ? text.slice(from, to) : '';
  }

  #judge(text: string, signs: TextSigns): void {
    if (signs.isWhole !== null) this.#kind = signs.isWhole ? 'whole' : 'parts';
    else if (witnessOf(text, this.#length) !== this.#witness) this.#kind = 'parts';
    else if (this.#length === 0) {
      this.#firstLength = text.length;
      this.#firstTokens = signs.tokens ?? 0;
    } else if (settledLength(text) > this.#length) this.#judgeGrowth(text, signs);
    else this.#judgeStanding(signs);
  }

  #judgeGrowth(text: string, signs: TextSigns): void {
    this.#growths += 1;
    this.#standingTokens = 0;
    const isClear = this.#length >= WITNESSES && !this.#isRatherPart(text, signs);
    if (isClear || this.#growths >= GROWTHS) this.#kind = 'whole';
  }

  /** The end repeats what is whole, without a token of its own. */
  #judgeStanding({ newTokens }: TextSigns): void {
    this.#standingTokens += newTokens ?? 1;
    if (newTokens === 0) this.#kind = 'whole';
    else if (this.#standingTokens > MOST_HIDDEN) this.#seemsParts = true;
  }

  /** The new tokens alone make better sense of the text's length than all of them, by how much the first ones wrote. */
  #isRatherPart(text: string, { tokens, newTokens }: TextSigns): boolean {
    if (tokens === null || newTokens === null || newTokens === 0 || this.#firstTokens === 0) return false;
    const perToken = this.#firstLength / this.#firstTokens;
    const misfit = (by: number) => Math.abs(Math.log(text.length / by / perToken));
    return misfit(newTokens) < misfit(tokens);
  }

  #owe(text: string): void {
    this.#owed += text;
    if (this.#owed.length <= MOST_OWED) return;
    this.#kind = 'whole';
    this.#owed = '';
  }

  #withOwed(text: string): string {
    const owed = this.#owed;
    this.#owed = '';
    return owed + text;
  }
}

/** The text without characters at its end that may still change. */
function settledLength(text: string): number {
  let length = text.length;
  while (length > 0 && text.charCodeAt(length - 1) === REPLACEMENT) length -= 1;
  return length;
}

/** A number for the last characters before `end` (FNV-1a); another one where the text is too short. */
function witnessOf(text: string, end: number): number {
  if (end === 0) return 0;
  if (text.length < end) return -1;
  let hash = 0x811c9dc5;
  for (let at = Math.max(0, end - WITNESSES); at < end; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return hash;
}
