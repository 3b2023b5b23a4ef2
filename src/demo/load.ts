import { Agent } from 'node:http';
import type { Clock } from '../clock.ts';
import { concurrencyAt, PEAK_CONCURRENCY, planRequest } from './load-plan.ts';
import { type SentRequest, sendPlanned } from './load-request.ts';
import { type Random, seededRandom } from './random.ts';

/** How often the load looks whether it should run more requests, and starts anew after failures. */
const TICK_MS = 250;

export interface LoadOptions {
  /** The data port, `http://HOST:PORT`. */
  url: string;
  seed: number;
  clock: Clock;
  /** Requests wanted in flight at a time after the start; never more than 32 are. The default walks up and down. */
  concurrencyAt?: (elapsedMs: number) => number;
}

export interface LoadCounts {
  inFlight: number;
  peakInFlight: number;
  answered: number;
  left: number;
  failed: number;
}

/**
 * A closed loop: an answered request is followed by the next at once, so that the number in flight
 * is the plan's, not the engine's. When the plan goes down, requests run out and are not followed.
 * After a failure the loop waits for the next tick, so that a gateway that is away is not hammered.
 */
export class Load {
  readonly #options: LoadOptions;
  readonly #plan: (elapsedMs: number) => number;
  readonly #random: Random;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: PEAK_CONCURRENCY });
  readonly #open = new Set<SentRequest>();
  readonly #startedMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #ended = { answered: 0, left: 0, failed: 0 };
  #peakInFlight = 0;
  #isStopped = false;

  /** Starts at once. */
  constructor(options: LoadOptions) {
    this.#options = options;
    this.#plan = options.concurrencyAt ?? concurrencyAt;
    this.#random = seededRandom(options.seed);
    this.#startedMs = options.clock.nowMs();
    this.#fill();
    this.#timer = setInterval(() => this.#fill(), TICK_MS);
  }

  /** Requests wanted in flight now. */
  wanted(): number {
    return Math.min(PEAK_CONCURRENCY, this.#plan(this.#options.clock.nowMs() - this.#startedMs));
  }

  counts(): LoadCounts {
    return { ...this.#ended, inFlight: this.#open.size, peakInFlight: this.#peakInFlight };
  }

  /** Leaves all requests in flight and resolves when the last one is gone. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#isStopped = true;
    const last = [...this.#open];
    for (const sent of last) sent.leave();
    await Promise.all(last.map((sent) => sent.ended));
    this.#agent.destroy();
  }

  #fill(): void {
    while (!this.#isStopped && this.#open.size < this.wanted()) {
      const sent = sendPlanned({ url: this.#options.url, agent: this.#agent }, planRequest(this.#random));
      this.#open.add(sent);
      this.#peakInFlight = Math.max(this.#peakInFlight, this.#open.size);
      void this.#follow(sent);
    }
  }

  async #follow(sent: SentRequest): Promise<void> {
    const outcome = await sent.ended;
    this.#open.delete(sent);
    this.#ended[outcome] += 1;
    if (outcome !== 'failed') this.#fill();
  }
}
