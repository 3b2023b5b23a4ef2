import type { ModelActivity } from '../ledger/activity.ts';
import type { Phase } from '../meter/record.ts';
import { type Concurrency, PhaseCells } from './phase-cells.ts';

/** An hour of one-second cells. */
const WINDOW_SECONDS = 3_600;

/**
 * What one upstream and model produced in each of the last 3,600 seconds. Cells are chosen by the
 * time of the event, not by a timer, so a late event loop cannot stretch or shrink a second.
 */
export class Window implements ModelActivity {
  readonly #tokens = new Float64Array(WINDOW_SECONDS);
  readonly #input = new Float64Array(WINDOW_SECONDS);
  readonly #phases = new PhaseCells();
  /** Milliseconds of each second in which at least one generation was decoding or unstreamed. */
  readonly #activeMs = new Float64Array(WINDOW_SECONDS);
  /** The newest second whose cell is in use. */
  #newest = 0;
  #working = 0;
  #isUsed = false;
  #activeToMs = 0;

  tokens(count: number, atMs: number): void {
    this.#add(this.#tokens, secondOf(atMs), count);
  }

  spread(count: number, fromMs: number, toMs: number): void {
    this.#spread(this.#tokens, count, { fromMs, toMs });
  }

  /** Input tokens that the engine read evenly over an interval of the past, as is known when a request has ended. */
  read(count: number, fromMs: number, toMs: number): void {
    this.#spread(this.#input, count, { fromMs, toMs });
  }

  /** Whether a generation was ever told of: a window is there before its first. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  phase(from: Phase | null, to: Phase | null, atMs: number): void {
    this.#isUsed = true;
    this.#phases.move(from, to, atMs);
    this.#integrate(atMs);
    this.#working += (works(to) ? 1 : 0) - (works(from) ? 1 : 0);
  }

  /** At least this much of each second: what else worked in it is not known to the millisecond any more. */
  worked(fromMs: number, toMs: number): void {
    this.#integrate(toMs);
    const oldestMs = Math.max(fromMs, toMs - (WINDOW_SECONDS - 1) * 1000);
    forEachSecond(oldestMs, toMs, (second, partMs) => {
      if (!this.#reach(second)) return;
      this.#activeMs[second % WINDOW_SECONDS] = Math.max(this.#cell(this.#activeMs, second), partMs);
    });
  }

  /** Tokens in the last `seconds` whole seconds before `nowMs`. */
  tokensOver(seconds: number, nowMs: number): number {
    return Math.max(0, this.#sum(this.#tokens, seconds, nowMs));
  }

  /** Adds the tokens of each second to `column`: the first is `from`, and all are over. */
  addSeconds(column: Float64Array, from: number): void {
    this.#reach(from + column.length);
    for (let index = 0; index < column.length; index += 1)
      column[index] = (column[index] ?? 0) + this.#cell(this.#tokens, from + index);
  }

  /** Input tokens of the same window, of requests that have ended since. */
  inputOver(seconds: number, nowMs: number): number {
    return this.#sum(this.#input, seconds, nowMs);
  }

  /** Mean generations in flight in the same window, by phase. */
  concurrencyOver(seconds: number, nowMs: number): Concurrency {
    return this.#phases.mean(seconds, nowMs);
  }

  /** Seconds of the same window in which something was decoding or unstreamed. */
  activeSecondsOver(seconds: number, nowMs: number): number {
    this.#integrate(nowMs);
    return this.#sum(this.#activeMs, seconds, nowMs) / 1000;
  }

  #add(cells: Float64Array, second: number, amount: number): void {
    if (this.#reach(second)) cells[second % WINDOW_SECONDS] = this.#cell(cells, second) + amount;
  }

  #spread(cells: Float64Array, count: number, { fromMs, toMs }: { fromMs: number; toMs: number }): void {
    const lengthMs = toMs - fromMs;
    const oldestMs = Math.max(fromMs, toMs - (WINDOW_SECONDS - 1) * 1000);
    if (lengthMs <= 0) this.#add(cells, secondOf(toMs), count);
    else forEachSecond(oldestMs, toMs, (second, partMs) => this.#add(cells, second, (count * partMs) / lengthMs));
  }

  #sum(cells: Float64Array, seconds: number, nowMs: number): number {
    const current = secondOf(nowMs);
    this.#reach(current);
    let sum = 0;
    for (let second = Math.max(0, current - seconds); second < current; second += 1) sum += this.#cell(cells, second);
    return sum;
  }

  #integrate(toMs: number): void {
    const fromMs = Math.max(this.#activeToMs, toMs - (WINDOW_SECONDS - 1) * 1000);
    if (toMs <= fromMs) return;
    this.#activeToMs = toMs;
    if (this.#working <= 0) return;
    forEachSecond(fromMs, toMs, (second, partMs) => {
      this.#add(this.#activeMs, second, partMs);
    });
  }

  /** Clears the cells between the newest second and this one; false when this one is already forgotten. */
  #reach(second: number): boolean {
    if (second <= this.#newest) return second > this.#newest - WINDOW_SECONDS;
    const steps = Math.min(second - this.#newest, WINDOW_SECONDS);
    for (let i = 0; i < steps; i += 1) {
      for (const cells of [this.#tokens, this.#input, this.#activeMs]) cells[(second - i) % WINDOW_SECONDS] = 0;
    }
    this.#newest = second;
    return true;
  }

  #cell(cells: Float64Array, second: number): number {
    return cells[second % WINDOW_SECONDS] ?? 0;
  }
}

function works(phase: Phase | null): boolean {
  return phase === 'decode' || phase === 'unstreamed';
}

function secondOf(atMs: number): number {
  return Math.max(0, Math.floor(atMs / 1000));
}

function forEachSecond(fromMs: number, toMs: number, visit: (second: number, partMs: number) => void): void {
  let atMs = Math.max(0, fromMs);
  while (atMs < toMs) {
    const second = Math.floor(atMs / 1000);
    const endMs = Math.min((second + 1) * 1000, toMs);
    visit(second, endMs - atMs);
    atMs = endMs;
  }
}
