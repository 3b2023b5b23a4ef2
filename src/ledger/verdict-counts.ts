import { SLOS, type Slo } from '../meter/record.ts';
import type { Judgement } from '../meter/slo.ts';

/** Requests of one label set by their verdict on one SLO. None of the numbers ever falls. */
export class SloCount {
  good = 0;
  bad = 0;
  undecided = 0;
  readonly #withheld = { good: 0, bad: 0 };

  add(isGood: boolean): void {
    const verdict = isGood ? 'good' : 'bad';
    if (this.#withheld[verdict] > 0) this.#withheld[verdict] -= 1;
    else this[verdict] += 1;
  }

  /** A request was counted so too early, and is not so in the end: the next one that is, is not counted in its stead. */
  withhold(isGood: boolean): void {
    this.#withheld[isGood ? 'good' : 'bad'] += 1;
  }
}

/** Verdicts of one label set W (CONTRACT §7): plain numbers, read at scrape time. */
export class VerdictCounts {
  /** Output tokens of requests that met every SLO. */
  goodOutputTokens = 0;
  readonly #counts = new Map<Slo, SloCount>();

  /** A new one starts at 0. */
  of(slo: Slo): SloCount {
    let count = this.#counts.get(slo);
    if (count === undefined) {
      count = new SloCount();
      this.#counts.set(slo, count);
    }
    return count;
  }

  /** The SLOs that were counted or read before: a series that was there once stays. */
  *known(): Iterable<Slo> {
    for (const slo of SLOS) if (this.#counts.has(slo)) yield slo;
  }

  addUndecided({ undecided }: Judgement): void {
    for (const slo of undecided) this.of(slo).undecided += 1;
  }
}
