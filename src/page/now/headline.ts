import type { Snapshot } from '../../live/snapshot-type.ts';
import { conditionsSentence } from '../text/conditions.ts';
import { isFigure, percent, rate } from '../text/format.ts';

/** Said instead of a figure where nothing flows: 0 would be a measurement. */
export const NO_TRAFFIC = 'No traffic';

/** One of the two big numbers: what it is, and what must be said beside it. */
export interface Headline {
  /** Null: there is no traffic, and so no figure. */
  value: string | null;
  /** The figure that belongs to it: per GPU, or the slow end. */
  beside: { value: string; label: string } | null;
  notes: readonly string[];
  /** What of it is Pitot's own estimate, in a sentence; null where nothing is. */
  estimated: string | null;
}

export function inFlightTotal({ in_flight: { prefill, decode, unstreamed } }: Pick<Snapshot, 'in_flight'>): number {
  return prefill + decode + unstreamed;
}

/** System throughput over ten seconds: what came, over all requests. */
export function throughputHeadline(snapshot: Snapshot): Headline {
  const { tokens_per_second: rates, tokens_per_second_per_gpu: perGpu, conditions } = snapshot.throughput;
  const value = rates['10s'];
  const isFlowing = isFigure(value) && (value > 0 || inFlightTotal(snapshot) > 0);
  if (!isFlowing) return { value: null, beside: null, notes: lastMinute(rates['60s']), estimated: null };
  return {
    value: rate(value),
    beside: perGpu === null ? null : { value: rate(perGpu['10s']), label: 'per GPU' },
    notes: [conditionsSentence(conditions)],
    estimated: estimatedSentence(snapshot),
  };
}

/**
 * The median per-user speed of what ended in the last minute (CONTRACT §1); of the streams that run where none has
 * ended yet.
 */
export function speedHeadline(snapshot: Snapshot): Headline {
  const { user_speed: ended, running_speed: running } = snapshot;
  const speeds = ended ?? running;
  if (speeds === null) return { value: null, beside: null, notes: [], estimated: null };
  const beside = { value: rate(speeds.p10), label: 'slowest tenth (p10)' };
  return { value: rate(speeds.p50), beside, notes: speedNotes(ended === null, running), estimated: null };
}

function speedNotes(isOfRunning: boolean, running: Snapshot['running_speed']): string[] {
  if (isOfRunning) return ['of streams that still run'];
  return running === null
    ? []
    : [`streams that run now: ${rate(running.p50)}, slowest tenth below ${rate(running.p10)}`];
}

function lastMinute(value: number | null): string[] {
  return isFigure(value) && value > 0 ? [`${rate(value)} over the last minute`] : [];
}

function estimatedSentence({ estimated: { running, finished } }: Snapshot): string | null {
  const parts = [
    isEstimate(running) ? `${percent(running)} of what runs now, until the upstream counts it` : null,
    isEstimate(finished) ? `${percent(finished)} of what ended in the last minute, which no upstream counted` : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : `Estimated by Pitot: ${parts.join('; ')}`;
}

function isEstimate(share: number | null): share is number {
  return share !== null && share > 0.0005;
}
