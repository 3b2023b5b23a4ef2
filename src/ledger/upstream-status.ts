import type { Clock } from '../clock.ts';

/** What is known of one upstream from the requests that went to it: no probes are sent (CONTRACT §9). */
export class UpstreamStatus {
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

  constructor(name: string, clock: Clock) {
    this.name = name;
    this.#clock = clock;
  }

  requestStarted(): void {
    if (this.inFlight === 0) this.#busySinceMs = this.#clock.nowMs();
    this.inFlight += 1;
  }

  requestEnded(): void {
    this.inFlight -= 1;
    if (this.inFlight === 0) this.#busyMs += this.#clock.nowMs() - this.#busySinceMs;
  }

  answered(): void {
    this.up = true;
    this.lastSuccessEpochMs = this.#clock.epochMs();
  }

  failed(): void {
    this.up = false;
    this.lastFailureEpochMs = this.#clock.epochMs();
  }

  /** Time with at least one request in flight, in milliseconds, up to now. */
  busyMs(): number {
    return this.inFlight === 0 ? this.#busyMs : this.#busyMs + this.#clock.nowMs() - this.#busySinceMs;
  }
}
