/**
 * The two clocks of the gateway, handed in wherever time is read, so that tests own time.
 * Durations come from the monotonic clock only: the wall clock may step (FAULTS B64).
 */
export interface Clock {
  /**
   * Monotonic milliseconds with a sub-millisecond fraction. The origin is arbitrary, and one for all processes
   * of a machine, so that a time which one of them took means the same to another.
   */
  nowMs(): number;
  /** Milliseconds since the Unix epoch, for time stamps in records and gauges, never for durations. */
  epochMs(): number;
}

/** `performance.now` begins with its process; what it counts is the machine's monotonic clock. */
const ORIGIN_MS = originMs();

export const systemClock: Clock = {
  nowMs: () => ORIGIN_MS + performance.now(),
  epochMs: () => Date.now(),
};

/** Of several attempts the one in which least time passed between the two readings: right to a microsecond or so. */
function originMs(): number {
  let closest = { gapMs: Number.POSITIVE_INFINITY, originMs: 0 };
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const beforeMs = performance.now();
    const machineMs = Number(process.hrtime.bigint()) / 1e6;
    const gapMs = performance.now() - beforeMs;
    if (gapMs < closest.gapMs) closest = { gapMs, originMs: machineMs - beforeMs - gapMs / 2 };
  }
  return closest.originMs;
}
