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

/** What a missed first token makes bad before the request has ended. */
const MISSED: readonly Slo[] = ['ttft', 'all'];

/**
 * The SLOs of one request. It is judged when it ends, but for one thing: a stream whose first token is
 * overdue is counted as bad at once, so that a stuck prefill shows while it is stuck (CONTRACT §6.9). No
 * timer does that: whoever reads the counts looks for overdue ones first (`Ledger.findOverdue`). Where the
 * end tells otherwise (the answer was a 4xx, or no stream, or its client was slow), the next bad one is not counted.
 */
export class LiveVerdict {
  readonly #book: VerdictBook;
  readonly #seriesNow: () => Series;
  #dueMs: number | null = null;
  /** Where it was counted as bad before its end. */
  #missedIn: Series | null = null;

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
    if (firstTokenMs !== null) this.check(firstTokenMs);
    this.due(null);
  }

  check(nowMs: number): void {
    const dueMs = this.#dueMs;
    if (dueMs === null || nowMs <= dueMs) return;
    this.due(null);
    if (this.#missedIn !== null) return;
    const series = this.#seriesNow();
    this.#missedIn = series;
    for (const slo of MISSED) series.verdicts.of(slo).add(false);
    this.#book.onVerdict({ workload: series.labels.workload, isGood: false, outputTokens: 0, atMs: dueMs });
  }

  end({ judgement, outputTokens, endMs }: Judged): void {
    this.due(null);
    const missedIn = this.#missedIn;
    const series = this.#seriesNow();
    for (const slo of SLOS) {
      const isGood = judgement.verdicts[slo];
      const wasCounted = missedIn !== null && MISSED.includes(slo);
      if (wasCounted && isGood === false) continue;
      if (wasCounted) missedIn.verdicts.of(slo).withholdBad();
      if (isGood !== undefined) series.verdicts.of(slo).add(isGood);
    }
    series.verdicts.addUndecided(judgement);
    this.#countGood({ isGood: judgement.verdicts.all, tokens: outputTokens ?? 0, endMs });
  }

  #countGood({ isGood, tokens, endMs }: { isGood: boolean | undefined; tokens: number; endMs: number }): void {
    if (isGood === undefined || (!isGood && this.#missedIn !== null)) return;
    const { verdicts, labels } = this.#seriesNow();
    if (isGood) verdicts.goodOutputTokens += tokens;
    this.#book.onVerdict({ workload: labels.workload, isGood, outputTokens: isGood ? tokens : 0, atMs: endMs });
  }
}
