import type { CountOrigin, UsageSnapshot } from '../wire/facts.ts';
import type { UsageSource } from './record.ts';

type Field = keyof UsageSnapshot;

/**
 * Merges what an answer says of its tokens: within one origin field by field the maximum, never a sum, and an
 * absent field overwrites nothing (CONTRACT §6.2; FAULTS B08 to B11, B20). Of several origins the most
 * trusted counts (`CountOrigin`). What adds up, its dialect has added up before it reaches this place.
 */
export class UsageMerge {
  readonly #request: UsageSnapshot = {};
  readonly #choices: UsageSnapshot = {};
  readonly #lists: UsageSnapshot = {};
  #isFinal = false;
  /** There was a last word, whatever came after it. */
  #hadLastWord = false;
  /** The last word tells the output of the whole request: what was added up of its choices stands no more. */
  #isTotal = false;
  #listsAreFinal = false;
  /** Every event with output had its list. One that is missing leaves tokens out, and nobody knows how many. */
  #listsCoverAll = true;
  /** No output event was seen since the last snapshot that raised the output count. */
  #coversAll = false;
  readonly #byChoice = new Map<number, number>();

  /** Returns true when the output count of the stream has grown (CONTRACT §1, TTFT: growth counts as a token). */
  add(snapshot: UsageSnapshot, final: boolean, origin: CountOrigin = 'request'): boolean {
    const before = this.outputTokens ?? 0;
    raise(this.#of(origin), snapshot);
    if (origin === 'lists') this.#listsAreFinal = final;
    else if (final && saysSomething(snapshot)) {
      this.#isFinal = true;
      this.#hadLastWord = true;
    }
    if (origin === 'choices') this.#isTotal = false;
    else if (origin === 'request' && final && (snapshot.outputTokens ?? 0) > 0) this.#isTotal = true;
    const grown = (this.outputTokens ?? 0) > before;
    if (grown && origin !== 'lists') this.#coversAll = true;
    return grown;
  }

  /**
   * An event had output. What went before it was no last word, unless the event has one itself or ends its choice: some
   * servers put usage before the chunk that has the finish reason and the rest of the text (FAULTS B19). And an event
   * without new tokens in its list shows that the lists tell nothing.
   */
  sawOutput(event: { hasLastWord: boolean; endsChoice: boolean; isListed: boolean }): void {
    if (!event.hasLastWord && !event.endsChoice) {
      this.#isFinal = false;
      this.#isTotal = false;
    }
    if (!event.isListed) this.#listsCoverAll = false;
  }

  /** There may have been output that nobody could read. */
  missedOutput(): void {
    this.#listsCoverAll = false;
    this.#coversAll = false;
  }

  /** Output came without growth: from here on the running count lags behind what was seen. */
  fallBehind(): void {
    this.#coversAll = false;
  }

  get inputTokens(): number | null {
    return this.#said('inputTokens') ?? this.#lists.inputTokens ?? null;
  }

  get cachedInputTokens(): number | null {
    return this.#said('cachedInputTokens');
  }

  get cacheWriteInputTokens(): number | null {
    return this.#said('cacheWriteInputTokens');
  }

  get outputTokens(): number | null {
    return this.isCountedByLists ? (this.#lists.outputTokens ?? null) : this.#said('outputTokens');
  }

  get reasoningTokens(): number | null {
    return this.#said('reasoningTokens');
  }

  /** The upstream's last word: said something, and no output came after it. */
  get final(): boolean {
    return this.#isFinal;
  }

  /** How many tokens were listed. */
  get listed(): number {
    return this.#lists.outputTokens ?? 0;
  }

  /** Nobody said how much output there is, but every piece of it came with the list of its tokens. Empty lists are none. */
  get isCountedByLists(): boolean {
    return this.#listsCoverAll && this.listed > 0 && (this.#said('outputTokens') ?? 0) === 0;
  }

  /** The lists of tokens were there to the end. */
  get isWhollyListed(): boolean {
    return this.#listsAreFinal && this.isCountedByLists;
  }

  /** The upstream's running count, where it covers all output that was seen. */
  get running(): number | null {
    const covers = this.#coversAll || this.isCountedByLists;
    return covers && (this.outputTokens ?? 0) > 0 ? this.outputTokens : null;
  }

  /**
   * A last word about an answer that had output must tell of that output. One that has a prompt but no
   * output is a count that lags; one of zeros throughout is what a recording holds, and is taken.
   */
  get saysOutput(): boolean {
    const output = this.#said('outputTokens');
    return (output ?? 0) > 0 || (output === 0 && this.inputTokens === 0);
  }

  /**
   * What was said as a last word covers all output, although some came after it: there are hardly more tokens than
   * characters. A running count, taken for a last word, is below that (a word has several letters).
   */
  covers(characters: number): boolean {
    const output = this.#said('outputTokens') ?? 0;
    return this.#hadLastWord && output > 0 && output >= characters;
  }

  choiceTokens(choice: number, outputTokens: number): void {
    this.#byChoice.set(choice, Math.max(outputTokens, this.#byChoice.get(choice) ?? 0));
  }

  /** Null also where the total shows that the choices did not count their own. */
  tokensOfChoice(choice: number): number | null {
    const added = this.#choices.outputTokens ?? 0;
    const isTooMuch = this.#isTotal && (this.#request.outputTokens ?? 0) < added;
    return isTooMuch ? null : (this.#byChoice.get(choice) ?? null);
  }

  #of(origin: CountOrigin): UsageSnapshot {
    if (origin === 'request') return this.#request;
    return origin === 'choices' ? this.#choices : this.#lists;
  }

  #said(field: Field): number | null {
    const whole = this.#request[field];
    const added = this.#choices[field];
    if (whole === undefined || added === undefined) return whole ?? added ?? null;
    return this.#isTotal ? whole : Math.max(whole, added);
  }
}

/** How far the output count can be trusted (CONTRACT §6.4). */
export function sourceOf(
  usage: UsageMerge,
  seen: { output: boolean; characters: number; whole: boolean; estimates: boolean },
): UsageSource {
  if (usage.final && (!seen.output || usage.saysOutput)) return 'reported';
  if (seen.whole && usage.covers(seen.characters)) return 'reported';
  if (usage.isWhollyListed) return 'reported';
  // A whole answer without a last word: its running count is the best estimate there is, and no report.
  if (usage.running !== null && !seen.whole) return 'partial';
  return seen.output && seen.estimates ? 'estimated' : 'none';
}

const FIELDS: readonly Field[] = [
  'inputTokens',
  'cachedInputTokens',
  'cacheWriteInputTokens',
  'outputTokens',
  'reasoningTokens',
];

function raise(known: UsageSnapshot, said: UsageSnapshot): void {
  for (const field of FIELDS) {
    const value = said[field];
    if (value !== undefined && value >= (known[field] ?? 0)) known[field] = value;
  }
}

function saysSomething(snapshot: UsageSnapshot): boolean {
  return snapshot.inputTokens !== undefined || snapshot.outputTokens !== undefined;
}
