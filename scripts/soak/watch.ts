import { setTimeout as wait } from 'node:timers/promises';
import { median, percentile } from '../bench/statistics.ts';
import type { Pitot } from './pitot.ts';
import { type Verdict, verdict } from './rules.ts';

const EVERY_MS = 1_000;
const MEBIBYTE = 1_024 * 1_024;

/**
 * What the live heap of each process may grow by from the first rest to the last: code that is compiled late,
 * and tables that fill up. What is kept of a request has a hundred bytes at least.
 */
const HEAP_GROWTH = { bytes: 2.5 * MEBIBYTE, perRequest: 16 };
/** What resident memory may grow by, and the share that comes on top: allocators keep what they once had. */
const RESIDENT_GROWTH = { bytes: 24 * MEBIBYTE, share: 0.1 };
/**
 * Of the seconds of traffic, nineteen in twenty must have been quicker than this. Other programs on the machine alone
 * make it 0.3 s at times; work of our own that nobody bounded takes seconds.
 */
const LAG_SECONDS = 1;
/** The metric looks back this far: what is read sooner after a rest tells of the collections that were made in it. */
const LAG_WINDOW_MS = 30_000;
const SCRAPE_GROWTH = 1.2;
/** Longer than Pitot keeps idle connections to its upstreams. */
const IDLE_MS = 5_000;
/** The scrapes of this very run come and go. */
const OWN_SOCKETS = 6;

/** What was found at a rest: nothing ran, everything had been collected. */
export interface Rest {
  readonly heapBytes: number;
  readonly sockets: number;
  readonly scrapeBytes: number;
}

/** Memory and delays of the process under test, looked at each second while there is traffic. */
export class Watch {
  readonly #pitot: Pitot;
  readonly #resident: number[] = [];
  readonly #lags: number[] = [];
  readonly #rests: Rest[] = [];
  #restedAtMs = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(pitot: Pitot) {
    this.#pitot = pitot;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#look(), EVERY_MS);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Stops the process for as long as it takes to collect everything: only where the run begins and ends. */
  async rest(): Promise<void> {
    await wait(IDLE_MS);
    this.#rests.push({
      heapBytes: await this.#pitot.liveHeapBytes(),
      sockets: this.#pitot.sockets,
      scrapeBytes: (await this.#pitot.metrics()).bytes,
    });
    this.#restedAtMs = performance.now();
  }

  /** Resident memory now. */
  get residentText(): string {
    return mebibytes(this.#pitot.residentBytes);
  }

  /** `requests`: between the two rests. */
  verdicts(requests: number): Verdict[] {
    const [first, last] = this.#rests;
    if (first === undefined || last === undefined)
      return [verdict('the run came to its end', false, 'it was broken off')];
    const [early, late] = [quarter(this.#resident, 1), quarter(this.#resident, 3)].map(median);
    const allowed = (early ?? 0) * (1 + RESIDENT_GROWTH.share) + RESIDENT_GROWTH.bytes;
    const heap = HEAP_GROWTH.bytes * this.#pitot.processes + HEAP_GROWTH.perRequest * requests;
    const lag =
      percentile(
        [...this.#lags].sort((a, b) => a - b),
        0.95,
      ) ?? 0;
    return [
      verdict(
        'the live heap is flat',
        last.heapBytes - first.heapBytes <= heap,
        `${mebibytes(first.heapBytes)} after the warm-up, ${mebibytes(last.heapBytes)} at the end`,
      ),
      verdict(
        'resident memory is flat',
        (late ?? 0) <= allowed,
        `${mebibytes(early ?? 0)} in the second quarter, ${mebibytes(late ?? 0)} in the last`,
      ),
      verdict(
        'no socket is left over',
        last.sockets <= first.sockets + OWN_SOCKETS,
        `${first.sockets} descriptors, then ${last.sockets}`,
      ),
      verdict(
        'a scrape is as long as before',
        last.scrapeBytes <= first.scrapeBytes * SCRAPE_GROWTH,
        `${first.scrapeBytes} bytes, then ${last.scrapeBytes}`,
      ),
      verdict(
        'the event loop was never long away',
        lag <= LAG_SECONDS,
        `p95 of its lag's p99: ${(lag * 1_000).toFixed(1)} ms, most ${(Math.max(0, ...this.#lags) * 1_000).toFixed(1)} ms`,
      ),
    ];
  }

  async #look(): Promise<void> {
    if (!this.#pitot.isRunning) return;
    this.#resident.push(this.#pitot.residentBytes);
    const lags = (await this.#pitot.metrics()).of('pitot_event_loop_lag_p99_seconds').map(({ value }) => value);
    if (performance.now() - this.#restedAtMs > LAG_WINDOW_MS) this.#lags.push(Math.max(0, ...lags));
  }
}

const mebibytes = (bytes: number): string => `${(bytes / MEBIBYTE).toFixed(1)} MiB`;

function quarter(values: readonly number[], number: number): number[] {
  return values.slice(Math.floor((values.length * number) / 4), Math.ceil((values.length * (number + 1)) / 4));
}
