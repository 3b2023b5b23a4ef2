import type { Clock } from '../clock.ts';
import type { LocalCountResult } from '../meter/local-counting.ts';

/** A line a minute says that it goes on, and does not fill a log. */
const WARN_EVERY_MS = 60_000;

export interface LocalCountsParts {
  clock: Clock;
  /** Counts fell back; with how many did so since the start, and what became of the others. */
  warn(tally: Readonly<Record<LocalCountResult, number>>): void;
}

/**
 * How the local counts went of answers that no upstream counted, since the start. When some fall back
 * to the live estimate, which is not as good, it is said: the first time, and at most once a minute.
 */
export class LocalCounts {
  readonly tally: Readonly<Record<LocalCountResult, number>>;
  readonly #tally: Record<LocalCountResult, number> = { counted: 0, extrapolated: 0, fell_back: 0 };
  readonly #parts: LocalCountsParts;
  #warnedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: LocalCountsParts) {
    this.#parts = parts;
    this.tally = this.#tally;
  }

  add(result: LocalCountResult): void {
    this.#tally[result] += 1;
    const nowMs = this.#parts.clock.nowMs();
    if (result !== 'fell_back' || nowMs - this.#warnedMs < WARN_EVERY_MS) return;
    this.#warnedMs = nowMs;
    this.#parts.warn({ ...this.#tally });
  }
}
