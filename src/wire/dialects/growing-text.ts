/** A character that stands for bytes whose rest has not come yet; the next event may replace it. */
const REPLACEMENT = 0xfffd;
/** Characters at the end of what is known that must stand in the next text, for that to be a continuation. */
const WITNESSES = 16;

/**
 * What is new in the next text of an answer that sends all of its text in every event, or only the new
 * part of it: SGLang does either, and says it nowhere. A text that does not go on where the last one
 * ended is a part, and then all are. Holds no text.
 */
export class GrowingText {
  #isWhole = true;
  #isKnown = false;
  #length = 0;
  #witness = 0;

  /** `isWhole`: what the event itself gives away of its text; null for nothing. The first word counts. */
  next(text: string, isWhole: boolean | null): string {
    if (!this.#isKnown) this.#decide(text, isWhole);
    if (!this.#isWhole) return text;
    const from = this.#length;
    const to = settledLength(text);
    if (to <= from) return '';
    this.#length = to;
    this.#witness = witnessOf(text, to);
    return text.slice(from, to);
  }

  /** A short text can go on where the last one ended by chance; a long one that does is whole, even if later ones are cut. */
  #decide(text: string, isWhole: boolean | null): void {
    const goesOn = witnessOf(text, this.#length) === this.#witness;
    this.#isWhole = isWhole ?? goesOn;
    this.#isKnown = isWhole !== null || !goesOn || this.#length >= WITNESSES;
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
