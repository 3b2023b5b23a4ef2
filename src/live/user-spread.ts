import { FewBins } from './few-bins.ts';

/** Two of these are an hour: what is told is of the last half hour at least, and of the last hour at most. */
const HALF_MS = 30 * 60_000;

/** How one figure of a user was spread of late. */
export class UserSpread {
  readonly #lowest: number;
  #current: FewBins | null = null;
  #before: FewBins | null = null;
  #half = 0;

  constructor(lowest: number) {
    this.#lowest = lowest;
  }

  add(value: number | null, atMs: number): void {
    if (value === null) return;
    this.#reach(atMs);
    this.#current ??= new FewBins(this.#lowest);
    this.#current.add(value);
  }

  /** What another user had of late becomes part of it. */
  absorb(other: UserSpread, nowMs: number): void {
    this.#reach(nowMs);
    other.#reach(nowMs);
    if (other.#before !== null) {
      this.#before ??= new FewBins(this.#lowest);
      this.#before.merge(other.#before);
    }
    if (other.#current !== null) {
      this.#current ??= new FewBins(this.#lowest);
      this.#current.merge(other.#current);
    }
  }

  /** One value for each `q` (0 to 1); null where nothing was added of late. */
  quantiles(qs: readonly number[], nowMs: number): number[] | null {
    this.#reach(nowMs);
    const merged = new FewBins(this.#lowest);
    for (const bins of [this.#before, this.#current]) if (bins !== null) merged.merge(bins);
    const values = qs.map((q) => merged.quantile(q));
    return values.every((value) => value !== null) ? values : null;
  }

  #reach(atMs: number): void {
    const half = Math.floor(atMs / HALF_MS);
    if (half <= this.#half) return;
    this.#before = half === this.#half + 1 ? this.#current : null;
    this.#current = null;
    this.#half = half;
  }
}
