/**
 * The two clocks of the gateway, handed in wherever time is read, so that tests own time.
 * Durations come from the monotonic clock only: the wall clock may step (FAULTS B64).
 */
export interface Clock {
  /** Monotonic milliseconds with a sub-millisecond fraction. The origin is arbitrary. */
  nowMs(): number;
  /** Milliseconds since the Unix epoch, for time stamps in records and gauges, never for durations. */
  epochMs(): number;
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  epochMs: () => Date.now(),
};
