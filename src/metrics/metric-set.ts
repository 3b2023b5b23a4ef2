import { setImmediate as nextTurn } from 'node:timers/promises';
import { withTargets } from './buckets.ts';
import type { CounterEntry, GaugeEntry, HistogramEntry, LabelNames, Target } from './catalog/entry.ts';
import type { Collected, Family } from './family.ts';
import { LiveFamily, type Read } from './live-family.ts';
import { type OnRefused, PlainCounter, PlainHistogram } from './plain.ts';
import type { ProcessSeries } from './process-series.ts';

/** Configured SLO targets, in the unit of the metric: they become bounds of its histogram. */
export type Targets = Readonly<Record<Target, readonly number[]>>;

/** All metrics of one gateway. No global registry: two gateways in one process do not meet. */
export class MetricSet {
  readonly #families = new Map<string, Family>();
  readonly #before: (() => void | Promise<void>)[] = [];
  readonly #read = new Set<Family>();
  readonly #targets: Targets;
  readonly #onRefused: OnRefused;
  readonly #processes: ProcessSeries | null;

  /** `processes`: where there are several, what each of them tells of itself. */
  constructor(options: { targets: Targets; onRefused: OnRefused; processes?: ProcessSeries | null }) {
    this.#targets = options.targets;
    this.#processes = options.processes ?? null;
    this.#onRefused = options.onRefused;
  }

  /** A counter that is added to as things happen. */
  counter<L extends LabelNames>(entry: CounterEntry<L>): PlainCounter<L> {
    return this.#register(new PlainCounter(entry, this.#onRefused));
  }

  histogram<L extends LabelNames>(entry: HistogramEntry<L>): PlainHistogram<L> {
    const targets = entry.target === undefined ? [] : this.#targets[entry.target];
    return this.#register(new PlainHistogram(entry, withTargets(entry.buckets, targets), this.#onRefused));
  }

  /** A counter or gauge whose numbers live elsewhere and are read at each scrape. */
  live<L extends LabelNames>(entry: CounterEntry<L> | GaugeEntry<L>, read: Read<L>): void {
    this.#register(new LiveFamily(entry, read));
  }

  /**
   * Called before each scrape reads, in a turn of the event loop of its own: to make new rows, to
   * fetch what cannot be read without waiting, to work out what takes long.
   */
  beforeScrape(prepare: () => void | Promise<void>): void {
    this.#before.push(prepare);
  }

  /** All numbers of one moment: what is compared with each other in a query was true together. */
  async collect(): Promise<Collected[]> {
    for (const prepare of this.#before) {
      await prepare();
      await nextTurn();
    }
    await this.#makeFirstRows();
    const collected = [...this.#families.values()].map((family) => family.collect());
    await nextTurn();
    return collected;
  }

  /** The first reading of a family makes its rows, and takes several times as long as all later ones: each in its own turn. */
  async #makeFirstRows(): Promise<void> {
    for (const family of this.#families.values()) {
      if (this.#read.has(family)) continue;
      this.#read.add(family);
      family.collect();
      await nextTurn();
    }
  }

  #register<F extends Family>(family: F): F {
    const { name } = family.entry;
    if (this.#families.has(name)) throw new Error(`the metric ${name} is registered twice`);
    this.#families.set(name, this.#processes?.labelled(family) ?? family);
    return family;
  }
}
