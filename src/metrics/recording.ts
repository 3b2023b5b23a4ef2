import type { FinishedRequest } from '../meter/finished.ts';
import type { SeriesLabels } from '../meter/live-account.ts';
import type { Api } from '../wire/facts.ts';

/** A label set that has been seen: its series must exist, at 0, before anything is counted in them (CONTRACT §7). */
export interface SeenSet {
  readonly labels: SeriesLabels;
  readonly apis: ReadonlySet<Api>;
  /** A model was asked for output under these labels: else there are no token and latency series. */
  readonly generates: boolean;
}

/** A group of metrics into which finished requests are observed. */
export interface Recording {
  seen(set: SeenSet): void;
  finished(finished: FinishedRequest): void;
}

/** One unit inside, one outside, and this is the place that divides: records hold milliseconds, metrics seconds. */
export function seconds(ms: number): number {
  return ms / 1000;
}

export function secondsOrNull(ms: number | null): number | null {
  return ms === null ? null : seconds(ms);
}

/** The values of the label sets M and W. */
export const valuesM = ({ upstream, model }: SeriesLabels) => [upstream, model] as const;
export const valuesW = ({ upstream, model, workload }: SeriesLabels) => [upstream, model, workload] as const;
