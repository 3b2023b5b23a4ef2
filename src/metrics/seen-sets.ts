import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FinishedRequest } from '../meter/finished.ts';
import type { SeriesLabels } from '../meter/live-account.ts';
import type { Api } from '../wire/facts.ts';
import type { Recording } from './recording.ts';

/** APIs under which nothing is generated: a list of models, a tunnel. */
const NOT_GENERATING: ReadonlySet<Api> = new Set<Api>(['other', 'websocket']);

/** Making the rows of a set takes some 20 µs, and a burst may bring many at once. */
const SETS_PER_TURN = 20;

interface Seen {
  readonly labels: SeriesLabels;
  readonly apis: Set<Api>;
  generates: boolean;
}

/**
 * Makes the series of a label set when it is first seen, at 0: a ratio would be empty until the first
 * failure, and a rate would miss the first increment. Each set costs its work once, not at each scrape.
 */
export class SeenSets {
  readonly #recordings: readonly Recording[];
  readonly #seen = new Map<string, Seen>();

  constructor(recordings: readonly Recording[]) {
    this.#recordings = recordings;
  }

  /** From the ledger, before a scrape: requests of these sets are running, or ran. */
  async running(sets: Iterable<{ readonly labels: SeriesLabels; readonly apis: ReadonlySet<Api> }>): Promise<void> {
    let made = 0;
    for (const { labels, apis } of [...sets]) {
      const seen = this.#seenOf(labels);
      if (seen.apis.size === apis.size) continue;
      this.#run(seen, apis);
      made += 1;
      if (made % SETS_PER_TURN === 0) await nextTurn();
    }
  }

  #run(seen: Seen, apis: ReadonlySet<Api>): void {
    let generates = false;
    for (const api of apis) {
      seen.apis.add(api);
      generates ||= !NOT_GENERATING.has(api);
    }
    this.#tell(seen, generates);
  }

  finished({ record, labels, generation }: FinishedRequest): void {
    const seen = this.#seenOf(labels);
    if (seen.apis.has(record.api) && (seen.generates || !generation)) return;
    seen.apis.add(record.api);
    this.#tell(seen, generation);
  }

  #tell(seen: Seen, generates: boolean): void {
    seen.generates ||= generates;
    for (const recording of this.#recordings) recording.seen(seen);
  }

  #seenOf(labels: SeriesLabels): Seen {
    const key = `${labels.upstream}\n${labels.model}\n${labels.workload}`;
    let seen = this.#seen.get(key);
    if (seen === undefined) {
      seen = { labels, apis: new Set(), generates: false };
      this.#seen.set(key, seen);
    }
    return seen;
  }
}
