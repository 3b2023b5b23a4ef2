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

/** Digits, and perhaps more behind a point. No sign, no exponent, no unit. */
const PLAIN_NUMBER = /^\d{1,15}(\.\d{1,15})?$/;

/** The number that a text holds, and nothing else; undefined for any other text. */
export function plainNumber(text: string): number | undefined {
  const digits = text.trim();
  return PLAIN_NUMBER.test(digits) ? Number(digits) : undefined;
}

/**
 * Fireworks says its times in headers and, where it was asked to, in a body, under the same names. The parts of
 * the way to the first token are told by dedicated deployments only.
 */
export function fireworksTimings(said: (name: string) => unknown): ServerTimings | null {
  const ms = (name: string) => {
    const value = said(name);
    return fromSeconds(typeof value === 'string' ? plainNumber(value) : value);
  };
  return unlessSilent({
    queue_ms: ms('prefill-queue-duration'),
    prefill_ms: ms('prefill-duration') ?? ms('server-time-to-first-token'),
    decode_ms: ms('generation-duration'),
    total_ms: ms('server-processing-time'),
  });
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
