import type { Clock } from '../clock.ts';

/** What requests tell of their upstream. */
export interface UpstreamEvents {
  readonly name: string;
  engine: string | null;
  clientBlockedMs: number;
  requestStarted(): void;
  requestEnded(): void;
  answered(): void;
  failed(): void;
}

/** What is known of one upstream from the requests that went to it: no probes are sent (CONTRACT §9). */
export class UpstreamStatus implements UpstreamEvents {
  readonly name: string;
  /** null before the first attempt, then whether the last attempt got any HTTP answer. */
  up: boolean | null = null;
  lastSuccessEpochMs: number | null = null;
  lastFailureEpochMs: number | null = null;
  /** The server behind it as it showed itself; null while that is not known. */
  engine: string | null = null;
  inFlight = 0;
  clientBlockedMs = 0;
  readonly #clock: Clock;
  #busyMs = 0;
  #busySinceMs = 0;
  /** All before is accounted for: what is told late, by another process, adds nothing to it. */
  #busyToMs = 0;
  #shownBusyMs = 0;

  constructor(name: string, clock: Clock) {
    this.name = name;
    this.#clock = clock;
  }

  requestStarted(atMs = this.#clock.nowMs()): void {
    if (this.inFlight === 0) this.#busySinceMs = Math.max(atMs, this.#busyToMs);
    this.inFlight += 1;
  }

  requestEnded(atMs = this.#clock.nowMs()): void {
    this.inFlight -= 1;
    if (this.inFlight > 0) return;
    this.#busyMs += Math.max(0, atMs - this.#busySinceMs);
    this.#busyToMs = Math.max(atMs, this.#busyToMs);
  }

  answered(): void {
    this.up = true;
    this.lastSuccessEpochMs = this.#clock.epochMs();
  }

  failed(): void {
    this.up = false;
    this.lastFailureEpochMs = this.#clock.epochMs();
  }

  /** Time with at least one request in flight, in milliseconds, up to now. Never falls, even when an end is told late. */
  busyMs(): number {
    const runningMs = this.inFlight === 0 ? 0 : Math.max(0, this.#clock.nowMs() - this.#busySinceMs);
    this.#shownBusyMs = Math.max(this.#shownBusyMs, this.#busyMs + runningMs);
    return this.#shownBusyMs;
  }
}
