import { PHASES, type Phase } from '../meter/record.ts';

/** An hour of one-second cells, as in `Window`. */
const CELLS = 3_600;

/** Mean generations in flight, by phase. */
export type Concurrency = Record<Phase, number>;

/**
 * The integral of concurrency by phase in each of the last 3,600 seconds. A cell keeps what entering and leaving
 * within it adds to the integral, and by how many the phase grew: so events may come in any order, and a
 * generation that is in flight for an hour costs nothing in between.
 */
export class PhaseCells {
  readonly #area = cellsOf(() => new Float32Array(CELLS));
  readonly #change = cellsOf(() => new Int32Array(CELLS));
  readonly #inFlight: Concurrency = { prefill: 0, decode: 0, unstreamed: 0 };
  #newest = 0;

  move(from: Phase | null, to: Phase | null, atMs: number): void {
    if (from !== null) this.#add(from, -1, atMs);
    if (to !== null) this.#add(to, 1, atMs);
  }

  /** Over the last `seconds` whole seconds before `nowMs`. */
  mean(seconds: number, nowMs: number): Concurrency {
    const current = secondOf(nowMs);
    this.#reach(current);
    const from = Math.max(0, current - seconds, this.#newest - CELLS + 1);
    const mean: Concurrency = { prefill: 0, decode: 0, unstreamed: 0 };
    for (const phase of PHASES) {
      let atEnd = this.#inFlight[phase];
      let integralMs = 0;
      for (let second = this.#newest; second >= from; second -= 1) {
        const atStart = atEnd - (this.#change[phase][second % CELLS] ?? 0);
        if (second < current) integralMs += 1000 * atStart + (this.#area[phase][second % CELLS] ?? 0);
        atEnd = atStart;
      }
      mean[phase] = Math.max(0, integralMs) / (1000 * seconds);
    }
    return mean;
  }

  /** Adds the mean of each second of `columns` to them: the first is `from`, and all are over. */
  addSeconds(columns: Record<Phase, Float64Array>, from: number): void {
    const { length } = columns.decode;
    this.#reach(from + length);
    for (const phase of PHASES) {
      let atEnd = this.#inFlight[phase];
      for (let second = this.#newest; second >= from; second -= 1) {
        const atStart = atEnd - (this.#change[phase][second % CELLS] ?? 0);
        const mean = Math.max(0, atStart + (this.#area[phase][second % CELLS] ?? 0) / 1000);
        if (second < from + length) columns[phase][second - from] = (columns[phase][second - from] ?? 0) + mean;
        atEnd = atStart;
      }
    }
  }

  #add(phase: Phase, change: 1 | -1, atMs: number): void {
    const second = secondOf(atMs);
    this.#inFlight[phase] += change;
    if (!this.#reach(second)) return;
    const cell = second % CELLS;
    this.#change[phase][cell] = (this.#change[phase][cell] ?? 0) + change;
    this.#area[phase][cell] = (this.#area[phase][cell] ?? 0) + change * ((second + 1) * 1000 - atMs);
  }

  /** Clears the cells between the newest second and this one; false when this one is already forgotten. */
  #reach(second: number): boolean {
    if (second <= this.#newest) return second > this.#newest - CELLS;
    const steps = Math.min(second - this.#newest, CELLS);
    for (let step = 0; step < steps; step += 1) {
      const cell = (second - step) % CELLS;
      for (const phase of PHASES) {
        this.#area[phase][cell] = 0;
        this.#change[phase][cell] = 0;
      }
    }
    this.#newest = second;
    return true;
  }
}

function cellsOf<Cells>(make: () => Cells): Record<Phase, Cells> {
  return { prefill: make(), decode: make(), unstreamed: make() };
}

function secondOf(atMs: number): number {
  return Math.max(0, Math.floor(atMs / 1000));
}
