import { LogBins } from './log-bins.ts';

const SLOT_MS = 10_000;
const SLOTS = 6;

/** Quantiles of the last minute, in slots of ten seconds that fall away one by one. */
export class RecentQuantiles {
  readonly #slots: LogBins[];
  readonly #lowest: number;
  #newest = 0;

  /** `lowest`: the smallest value told apart. */
  constructor(lowest: number) {
    this.#lowest = lowest;
    this.#slots = Array.from({ length: SLOTS }, () => new LogBins(lowest));
  }

  add(value: number, atMs: number): void {
    this.#reach(atMs);
    this.#slots[this.#newest % SLOTS]?.add(value);
  }

  /** One value for every `q` (0 to 1), or null when nothing was added in the last minute. */
  quantiles(qs: readonly number[], nowMs: number): number[] | null {
    const merged = new LogBins(this.#lowest);
    this.mergeInto(merged, nowMs);
    const values = qs.map((q) => merged.quantile(q));
    return values.every((value) => value !== null) ? values : null;
  }

  /** Adds the last minute to bins of others. */
  mergeInto(bins: LogBins, nowMs: number): void {
    this.#reach(nowMs);
    for (const slot of this.#slots) bins.merge(slot);
  }

  #reach(atMs: number): void {
    const slot = Math.floor(atMs / SLOT_MS);
    const steps = Math.min(slot - this.#newest, SLOTS);
    for (let i = 0; i < steps; i += 1) this.#slots[(slot - i) % SLOTS]?.clear();
    if (slot > this.#newest) this.#newest = slot;
  }
}
