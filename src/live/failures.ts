import type { FinishedRequest } from '../meter/finished.ts';
import type { UsageRecord } from '../meter/record.ts';
import type { FailureCount, FailureOutcome, FailureSnapshot } from './request-snapshot.ts';
import { SecondSums } from './second-sums.ts';

/** Of each outcome, so that a flood of one leaves the others to be seen. */
const KEPT = 10;
const RECENT_SECONDS = 15 * 60;

interface Failed {
  total: number;
  readonly bySecond: SecondSums;
  /** The oldest first. */
  readonly last: FailureSnapshot[];
}

/** Requests that did not end well: the last of each outcome, and how many there were. */
export class Failures {
  readonly #failed = new Map<FailureOutcome, Failed>();

  finished({ record }: FinishedRequest, nowMs: number): void {
    const { outcome } = record;
    if (outcome === 'complete') return;
    const failed = this.#of(outcome);
    failed.total += 1;
    failed.bySecond.add([1], nowMs);
    failed.last.push(told(record, outcome));
    if (failed.last.length > KEPT) failed.last.shift();
  }

  /** The newest first. */
  recent(): FailureSnapshot[] {
    const all = [...this.#failed.values()].flatMap(({ last }) => last.toReversed());
    return all.sort((one, other) => (one.time < other.time ? 1 : one.time > other.time ? -1 : 0));
  }

  /** The most frequent of late first. */
  counts(nowMs: number): FailureCount[] {
    const counts = [...this.#failed].map(([outcome, { total, bySecond }]) => {
      // The second that is not over yet counts too: a total beside it that is larger would look wrong.
      const [recent = 0] = bySecond.sums(nowMs + 1_000);
      return { outcome, last_15_minutes: recent, total };
    });
    return counts.sort((one, other) => other.last_15_minutes - one.last_15_minutes || other.total - one.total);
  }

  #of(outcome: FailureOutcome): Failed {
    let failed = this.#failed.get(outcome);
    if (failed === undefined) {
      failed = { total: 0, bySecond: new SecondSums(1, RECENT_SECONDS), last: [] };
      this.#failed.set(outcome, failed);
    }
    return failed;
  }
}

function told(record: Readonly<UsageRecord>, outcome: FailureOutcome): FailureSnapshot {
  const { time, status, error, upstream, workload, user, id, path, output_tokens } = record;
  const model = record.model ?? record.requested_model;
  return { time, outcome, status, error, upstream, model, workload, user, id, path, output_tokens };
}
