import type { Snapshot } from '../../live/snapshot-type.ts';
import { conditionsSentence } from '../text/conditions.ts';
import { isFigure, percent, rate, whole } from '../text/format.ts';

/** Said instead of a figure where nothing flows: 0 would be a measurement. */
export const NO_TRAFFIC = 'No traffic';

/** Until it ends nobody knows how many tokens it has, and 0 would be taken for a stall. */
const UNSTREAMED_LATER = 'unstreamed answers count when they end';

/** One of the two big numbers: what it is, and what must be said beside it. */
export interface Headline {
  /** Null: there is no figure; `absence` says why. */
  value: string | null;
  /** Stands where there is no figure. */
  absence: string;
  /** The figure that belongs to it: per GPU, or the slow end. */
  beside: { value: string; label: string } | null;
  notes: readonly string[];
  /** What of it is Pitot's own estimate, in a sentence; null where nothing is. */
  estimated: string | null;
}

export function inFlightTotal({ in_flight: { prefill, decode, unstreamed } }: Pick<Snapshot, 'in_flight'>): number {
  return prefill + decode + unstreamed;
}

/** Neither in flight nor ended of late: nothing of generations. What flows beside them is no traffic of tokens. */
export function isAtRest(snapshot: Flow): boolean {
  const { throughput, upstreams } = snapshot;
  const minute = throughput.tokens_per_second['60s'];
  const isFlowing = inFlightTotal(snapshot) > 0 || (isFigure(minute) && minute > 0);
  return !isFlowing && upstreams.every(({ in_flight: inFlight }) => inFlight === 0);
}

/** What tells whether anything flows. */
export type Flow = Pick<Snapshot, 'in_flight' | 'throughput' | 'upstreams'>;

/** In place of a figure of tokens where none came: something may be in flight all the same. */
export function noOutput({ upstreams }: Flow): string {
  return upstreams.some(({ in_flight: inFlight }) => inFlight > 0) ? 'No output' : NO_TRAFFIC;
}

/** ", 1 of 2 upstreams" where a figure is not of all of them. */
export function ofHowMany(has: number, all: number): string {
  return has < all ? `, ${whole(has)} of ${whole(all)} upstreams` : '';
}

/** System throughput over ten seconds: what came, over all requests. */
export function throughputHeadline(snapshot: Snapshot): Headline {
  const { tokens_per_second: rates, tokens_per_second_per_gpu: perGpu, conditions } = snapshot.throughput;
  const value = rates['10s'];
  const isFlowing = isFigure(value) && (value > 0 || inFlightTotal(snapshot) > 0);
  if (!isFlowing) {
    const minute = lastMinute(rates['60s']);
    return { value: null, absence: noOutput(snapshot), beside: null, notes: minute, estimated: null };
  }
  const { upstreams, in_flight: inFlight } = snapshot;
  const withGpus = upstreams.filter(({ gpus }) => gpus !== null).length;
  const label = `per GPU${ofHowMany(withGpus, upstreams.length)}`;
  return {
    value: rate(value),
    absence: '',
    beside: perGpu === null ? null : { value: rate(perGpu['10s']), label },
    notes: [conditionsSentence(conditions), ...(inFlight.unstreamed > 0 ? [UNSTREAMED_LATER] : [])],
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
  if (speeds === null) return noSpeed(snapshot);
  const share = ended === null ? snapshot.estimated.running : snapshot.estimated.finished;
  const estimated = isEstimate(share) ? `Estimated by Pitot: ${percent(share)} of the tokens behind it` : null;
  const beside = { value: rate(speeds.p10), label: 'slowest tenth (p10)' };
  const notes = speedNotes(ended === null, running);
  return { value: rate(speeds.p50), absence: '', beside, notes, estimated };
}

/** Answers in one piece have no speed of their own: that is something else than no traffic. */
function noSpeed(snapshot: Snapshot): Headline {
  const none = { value: null, beside: null, estimated: null };
  if (isAtRest(snapshot)) return { ...none, absence: NO_TRAFFIC, notes: [] };
  return { ...none, absence: 'None yet', notes: ['no stream has ended in the last minute'] };
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
