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

  /** One sum for each number, without the second that is not over yet. */
  sums(nowMs: number): number[] {
    const current = Math.floor(nowMs / 1000);
    this.#reach(current);
    const totals = new Array<number>(this.#width).fill(0);
    for (let second = Math.max(0, current - this.#seconds); second < current; second += 1) {
      const cell = this.#cellOf(second);
      for (let index = 0; index < this.#width; index += 1)
        totals[index] = (totals[index] ?? 0) + (this.#sums[cell + index] ?? 0);
    }
    return totals;
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
