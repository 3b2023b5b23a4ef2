/**
 * How many items there are so far in a list that an answer sends whole in every event, or only the new part
 * of it: servers do either, and say it nowhere. A longer list that begins with the last one is whole.
 */
export class GrowingList {
  /** Null until a second list came. */
  #isWhole: boolean | null = null;
  #last: readonly unknown[] = [];
  total = 0;
  /** How often a whole list grew. */
  growths = 0;

  next(list: readonly unknown[]): void {
    if (list.length === 0) return;
    if (this.#isWhole === null && this.total > 0) {
      const last = this.#last;
      this.#isWhole = list.length > last.length && last.every((item, at) => item === list[at]);
      this.#last = [];
    } else if (this.#isWhole === null) this.#last = list;
    if (this.#isWhole !== true) this.total += list.length;
    else if (list.length > this.total) {
      this.growths += 1;
      this.total = list.length;
    }
  }
}
