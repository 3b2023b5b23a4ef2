import type { ServerTimings } from './facts.ts';
import { measure } from './json.ts';

/** Milliseconds, to the nanosecond, so that 0.1 s is 100 ms and not 100.00000000000001. Null for what is no duration. */
export function fromSeconds(seconds: unknown): number | null {
  const known = measure(seconds);
  return known === null ? null : Math.round(known * 1e9) / 1e6;
}

export function fromNanoseconds(nanoseconds: unknown): number | null {
  const known = measure(nanoseconds);
  return known === null ? null : known / 1e6;
}

/** What is said later counts; what it leaves unsaid stays. */
export function laterTimings(before: ServerTimings | null, later: ServerTimings): ServerTimings {
  return {
    queue_ms: later.queue_ms ?? before?.queue_ms ?? null,
    prefill_ms: later.prefill_ms ?? before?.prefill_ms ?? null,
    decode_ms: later.decode_ms ?? before?.decode_ms ?? null,
    total_ms: later.total_ms ?? before?.total_ms ?? null,
  };
}

/** Null where nothing is said. */
export function unlessSilent(timings: ServerTimings): ServerTimings | null {
  return Object.values(timings).every((ms) => ms === null) ? null : timings;
}
