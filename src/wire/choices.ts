import { whole } from './json.ts';

/** An answer with more choices than this is nonsense; their numbers fold into the last, so that state stays bounded. */
const LAST_CHOICE = 1023;
export const MOST_CHOICES = LAST_CHOICE + 1;

/** The number of a choice: as it says, else its place in the list. */
export function choiceNumber(said: unknown, place: number): number {
  return Math.min(whole(said) ?? place, LAST_CHOICE);
}

/** Which choices of an answer were seen, and which of them have ended. */
export class Choices {
  readonly #seen = new Set<number>();
  readonly #ended = new Set<number>();
  /** As many as the request asked for: one that has not begun yet has not ended either. */
  #expected: number;

  constructor(expected = 1) {
    this.#expected = Math.min(expected, MOST_CHOICES);
  }

  see(choice: number): void {
    this.#seen.add(choice);
  }

  /** True the first time: some servers repeat a finish reason. */
  end(choice: number): boolean {
    if (this.#ended.has(choice)) return false;
    this.#ended.add(choice);
    return true;
  }

  hasEnded(choice: number): boolean {
    return this.#ended.has(choice);
  }

  /** The answer is whole, as it says itself: a server may give fewer choices than it was asked for. True where that ends them. */
  expectNoMore(): boolean {
    const before = this.allEnded;
    this.#expected = 1;
    return !before && this.allEnded;
  }

  /** As many were seen as were asked for, one at least, and all that were seen have ended. */
  get allEnded(): boolean {
    return this.#seen.size >= this.#expected && this.#seen.size > 0 && this.#ended.size === this.#seen.size;
  }
}
