/** Sums of some numbers by second, over the last so many whole seconds. A cell is chosen by the time of the event. */
export class SecondSums {
  readonly #width: number;
  readonly #seconds: number;
  readonly #sums: Float64Array;
  #newest = 0;

  /** `width`: how many numbers are added up side by side. */
  constructor(width: number, seconds: number) {
    this.#width = width;
    this.#seconds = seconds;
    // One more for the second that is not over yet.
    this.#sums = new Float64Array(width * (seconds + 1));
  }

  add(values: readonly number[], atMs: number): void {
    const second = Math.floor(atMs / 1000);
    this.#reach(second);
    if (second <= this.#newest - this.#seconds - 1) return;
    const cell = this.#cellOf(second);
    for (let index = 0; index < this.#width; index += 1)
      this.#sums[cell + index] = (this.#sums[cell + index] ?? 0) + (values[index] ?? 0);
  }

  /** One sum for each number over the last `seconds`, without the one that is not over yet. */
  sums(nowMs: number, seconds = this.#seconds): number[] {
    const current = Math.floor(nowMs / 1000);
    this.#reach(current);
    const totals = new Array<number>(this.#width).fill(0);
    const oldest = Math.max(0, current - seconds, this.#newest - this.#seconds);
    for (let second = oldest; second < current; second += 1) {
      const cell = this.#cellOf(second);
      for (let index = 0; index < this.#width; index += 1)
        totals[index] = (totals[index] ?? 0) + (this.#sums[cell + index] ?? 0);
    }
    return totals;
  }

  /**
   * The sums over the `length` seconds that end with each of so many seconds, all of them over; the first is `from`.
   * `visit` gets the same array each time.
   */
  forEachWindow(
    length: number,
    { from, seconds }: { from: number; seconds: number },
    visit: (index: number, sums: readonly number[]) => void,
  ): void {
    this.#reach(from + seconds);
    const sums = new Array<number>(this.#width).fill(0);
    const add = (second: number, sign: 1 | -1) => {
      if (second < 0 || second < this.#newest - this.#seconds) return;
      const cell = this.#cellOf(second);
      for (let index = 0; index < this.#width; index += 1)
        sums[index] = (sums[index] ?? 0) + sign * (this.#sums[cell + index] ?? 0);
    };
    for (let second = from - length + 1; second < from; second += 1) add(second, 1);
    for (let index = 0; index < seconds; index += 1) {
      add(from + index, 1);
      visit(index, sums);
      add(from + index - length + 1, -1);
    }
  }

  #reach(second: number): void {
    const steps = Math.min(second - this.#newest, this.#seconds + 1);
    for (let step = 0; step < steps; step += 1) {
      const cell = this.#cellOf(second - step);
      this.#sums.fill(0, cell, cell + this.#width);
    }
    if (second > this.#newest) this.#newest = second;
  }

  #cellOf(second: number): number {
    return (second % (this.#seconds + 1)) * this.#width;
  }
}
