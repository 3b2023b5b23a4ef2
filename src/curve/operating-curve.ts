import { LogBins } from '../live/log-bins.ts';
import { binOf } from './concurrency-bins.ts';
import { type SeriesFigures, seriesIn } from './series-figures.ts';
import type { ClosedWindow } from './window.ts';

/**
 * A bin remembers about its last thousand windows (83 minutes of its traffic): beyond that each new one fades
 * the others, so that a changed engine shows within hours of work.
 */
const MEMORY_WINDOWS = 1_000;
/** What no new window refreshes fades by half in a week: nobody knows whether the engine is still the same. */
const HALF_LIFE_MS = 7 * 24 * 3_600_000;
/** No bin was learned before this: an earlier time is that of a machine whose clock was not set yet, and tells no age. */
const EARLIEST_EPOCH_MS = Date.UTC(2020, 0, 1);
/** Less than this of a window is nothing. */
const FORGOTTEN_WINDOWS = 0.05;
/** The smallest throughput told apart, in tokens per second. */
export const LOWEST_THROUGHPUT = 0.01;

/** One bin of the curve: windows with about this many generations in flight. Plain sums and bins. */
export class CurveBin {
  /** The middle of the bin, in generations in flight on the upstream. */
  readonly concurrency: number;
  /** How many windows it holds, each counted less the older it is. */
  windows = 0;
  /** Output tokens per second of each window, of all models and workloads together. */
  readonly throughput: LogBins;
  readonly seriesByName = new Map<string, SeriesFigures>();
  /** Unix milliseconds up to which it has faded. */
  fadedToMs: number;

  constructor(concurrency: number, fadedToMs: number, throughput = new LogBins(LOWEST_THROUGHPUT)) {
    this.concurrency = concurrency;
    this.fadedToMs = fadedToMs;
    this.throughput = throughput;
  }

  get series(): SeriesFigures[] {
    return [...this.seriesByName.values()];
  }

  add(window: Pick<ClosedWindow, 'tokensPerSecond' | 'series'>): void {
    if (this.windows >= MEMORY_WINDOWS) this.#scale((MEMORY_WINDOWS - 1) / this.windows);
    this.windows += 1;
    this.throughput.add(window.tokensPerSecond);
    for (const figures of window.series) seriesIn(this.seriesByName, figures).merge(figures);
  }

  fade(epochMs: number): void {
    // A wall clock that was set back takes nothing away, and gives nothing back: nor does one that is corrected then.
    const passedMs = this.fadedToMs < EARLIEST_EPOCH_MS ? 0 : Math.max(0, epochMs - this.fadedToMs);
    this.fadedToMs = Math.max(this.fadedToMs, epochMs);
    if (passedMs > 0) this.#scale(0.5 ** (passedMs / HALF_LIFE_MS));
  }

  #scale(factor: number): void {
    this.windows *= factor;
    this.throughput.scale(factor);
    for (const figures of this.seriesByName.values()) figures.scale(factor);
  }
}

/** Concurrency → throughput of one upstream, and how its requests fared there, as learned from live windows (CONTRACT §1). */
export class OperatingCurve {
  readonly #bins = new Map<number, CurveBin>();

  add(window: Omit<ClosedWindow, 'fromMs'>, epochMs: number): void {
    const middle = binOf(window.concurrency);
    if (middle === null) return;
    const bin = this.#bins.get(middle) ?? new CurveBin(middle, epochMs);
    this.#bins.set(middle, bin);
    bin.fade(epochMs);
    bin.add(window);
  }

  /** A bin that was remembered elsewhere, unless the one here rests on more windows. */
  restore(bin: CurveBin, epochMs: number): void {
    bin.fade(epochMs);
    // Written by a clock that was ahead: from now on it fades as time passes here.
    bin.fadedToMs = Math.min(bin.fadedToMs, epochMs);
    const own = this.#bins.get(bin.concurrency);
    own?.fade(epochMs);
    if (own === undefined || own.windows < bin.windows) this.#bins.set(bin.concurrency, bin);
  }

  /** What it knows now, by rising concurrency. */
  bins(epochMs: number): CurveBin[] {
    for (const bin of this.#bins.values()) {
      bin.fade(epochMs);
      if (bin.windows < FORGOTTEN_WINDOWS) this.#bins.delete(bin.concurrency);
    }
    return [...this.#bins.values()].sort((a, b) => a.concurrency - b.concurrency);
  }
}
