/** Fine enough that a window of a second is cut to a ten-thousandth. */
const CELL_US = 100;
/** Fourteen minutes; a run is shorter. */
const CELLS = 2 ** 23;
/** Lateness beyond this is this: two seconds. */
const MOST_LATE = 20_000;

/** One answer as it was written. Times are microseconds of the machine's monotonic clock. */
export interface Written {
  readonly id: string;
  readonly tokens: number;
  readonly chunks: number;
  readonly readUs: number;
  readonly firstUs: number | null;
  readonly lastUs: number | null;
  readonly longestGapUs: number;
  readonly endedUs: number;
  readonly end: 'whole' | 'cut' | 'left';
}

/** What was written and when: the truth that the meter is held against. */
export class Emissions {
  readonly written: Written[] = [];
  readonly #beganUs: number;
  readonly #tokens = new Uint32Array(CELLS);
  readonly #moves: { atUs: number; change: 1 | -1 }[] = [];
  /** Writes by how late they were, in cells: to sort them would make the next ones late. */
  readonly #late = new Uint32Array(MOST_LATE + 1);

  constructor(nowUs: number) {
    this.#beganUs = Math.floor(nowUs / CELL_US) * CELL_US;
  }

  /** `lateUs`: after it was due. */
  add(tokens: number, atUs: number, lateUs: number): void {
    const cell = this.#cellOf(atUs);
    this.#tokens[cell] = (this.#tokens[cell] ?? 0) + tokens;
    const late = Math.min(MOST_LATE, Math.max(0, Math.floor(lateUs / CELL_US)));
    this.#late[late] = (this.#late[late] ?? 0) + 1;
  }

  opened(atUs: number): void {
    this.#moves.push({ atUs, change: 1 });
  }

  ended(answer: Written): void {
    this.#moves.push({ atUs: answer.endedUs, change: -1 });
    this.written.push(answer);
  }

  /** Tokens written in [from, to). */
  between(fromUs: number, toUs: number): number {
    let sum = 0;
    for (let cell = this.#cellOf(fromUs); cell < this.#cellOf(toUs); cell += 1) sum += this.#tokens[cell] ?? 0;
    return sum;
  }

  /** Answers begun and not ended at that moment. */
  inFlight(atUs: number): number {
    return this.#moves.reduce((open, move) => (move.atUs <= atUs ? open + move.change : open), 0);
  }

  /** How late this share (0 to 1) of the writes was at most, to 0.1 ms, since this was asked last; null without any. */
  takeLateness(share: number): number | null {
    const writes = this.#late.reduce((sum, count) => sum + count, 0);
    let seen = 0;
    const cell = this.#late.findIndex((count) => {
      seen += count;
      return seen > 0 && seen >= share * writes;
    });
    this.#late.fill(0);
    return cell < 0 ? null : (cell + 1) * CELL_US;
  }

  #cellOf(atUs: number): number {
    return Math.min(CELLS - 1, Math.max(0, Math.floor((atUs - this.#beganUs) / CELL_US)));
  }
}
