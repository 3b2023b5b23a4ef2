import type { Judged } from '../meter/live-account.ts';
import { SLOS, type Slo } from '../meter/record.ts';
import type { Series } from './series.ts';

/** What is told when a request is counted in or out of the goodput of its workload, and when that was. */
export interface WorkloadVerdict {
  workload: string;
  isGood: boolean;
  /** Of a good request; 0 where nobody counted them. */
  outputTokens: number;
  atMs: number;
}

export interface VerdictBook {
  /** Streams that wait for a first token with a target. */
  readonly waits: Set<LiveVerdict>;
  onVerdict(verdict: WorkloadVerdict): void;
}

/** What a missed first token makes bad before the request has ended; one in time makes only the first of them good. */
const MISSED: readonly Slo[] = ['ttft', 'all'];
const IN_TIME: readonly Slo[] = ['ttft'];

/**
 * The SLOs of one request. It is judged when it ends, but for TTFT (CONTRACT §6.9): a first token in time is
 * good when it comes, and a stream whose first token is overdue is bad at once, so that a stuck prefill shows
 * while it is stuck. No timer does that: whoever reads the counts looks for overdue ones first
 * (`Ledger.findOverdue`). Where the end tells otherwise (the answer was a 4xx, or no stream, or it failed after
 * its first token, or its client was slow), the next request of that verdict is not counted.
 */
export class LiveVerdict {
  readonly #book: VerdictBook;
  readonly #seriesNow: () => Series;
  #dueMs: number | null = null;
  /** What was counted before its end, and where. */
  #early: { isGood: boolean; slos: readonly Slo[]; series: Series } | null = null;

  constructor(book: VerdictBook, seriesNow: () => Series) {
    this.#book = book;
    this.#seriesNow = seriesNow;
  }

  due(atMs: number | null): void {
    this.#dueMs = atMs;
    if (atMs === null) this.#book.waits.delete(this);
    else this.#book.waits.add(this);
  }

  /** The wait is over: with a token, or (null) without any. */
  waited(firstTokenMs: number | null): void {
    if (firstTokenMs !== null) {
      this.check(firstTokenMs);
      if (this.#dueMs !== null && this.#early === null) this.#count(true, IN_TIME);
    }
    this.due(null);
  }

  check(nowMs: number): void {
    const dueMs = this.#dueMs;
    if (dueMs === null || nowMs <= dueMs) return;
    this.due(null);
    if (this.#early !== null) return;
    const { workload } = this.#count(false, MISSED).labels;
    this.#book.onVerdict({ workload, isGood: false, outputTokens: 0, atMs: dueMs });
  }

  end({ judgement, outputTokens, endMs }: Judged): void {
    this.due(null);
    const early = this.#early;
    const series = this.#seriesNow();
    for (const slo of SLOS) {
      const isGood = judgement.verdicts[slo];
      const counted = early?.slos.includes(slo) ? early : null;
      if (counted !== null && isGood === counted.isGood) continue;
      counted?.series.verdicts.of(slo).withhold(counted.isGood);
      if (isGood !== undefined) series.verdicts.of(slo).add(isGood);
    }
    series.verdicts.addUndecided(judgement);
    this.#tell({ isGood: judgement.verdicts.all, tokens: outputTokens ?? 0, endMs });
  }

  #count(isGood: boolean, slos: readonly Slo[]): Series {
    const series = this.#seriesNow();
    this.#early = { isGood, slos, series };
    for (const slo of slos) series.verdicts.of(slo).add(isGood);
    return series;
  }

  #tell({ isGood, tokens, endMs }: { isGood: boolean | undefined; tokens: number; endMs: number }): void {
    const isToldAsBad = this.#early !== null && !this.#early.isGood;
    if (isGood === undefined || (!isGood && isToldAsBad)) return;
    const { verdicts, labels } = this.#seriesNow();
    if (isGood) verdicts.goodOutputTokens += tokens;
    this.#book.onVerdict({ workload: labels.workload, isGood, outputTokens: isGood ? tokens : 0, atMs: endMs });
  }
}
