import { percentile } from './statistics.ts';

/** 2 million latencies, 8 MB: 25,000 events a second for 80 s. What comes after is counted, not kept. */
const CAPACITY = 2 ** 21;

export interface Measured {
  readonly events: number;
  readonly seconds: number;
  /** From the upstream's write to this process's read; null without events. */
  readonly p50Us: number | null;
  readonly p99Us: number | null;
  readonly maxUs: number | null;
}

/** The latencies of a stretch of time. */
export class Window {
  readonly #latencies = new Float32Array(CAPACITY);
  #events = 0;
  #beganMs: number | null = null;

  begin(nowMs: number): void {
    this.#beganMs = nowMs;
    this.#events = 0;
  }

  /** Nothing outside of a stretch. */
  add(latencyUs: number): void {
    if (this.#beganMs === null) return;
    this.#latencies[this.#events] = latencyUs;
    this.#events += 1;
  }

  end(nowMs: number): Measured {
    const seconds = (nowMs - (this.#beganMs ?? nowMs)) / 1000;
    this.#beganMs = null;
    const rising = this.#latencies.subarray(0, this.#events).sort();
    const [p50Us, p99Us, maxUs] = [0.5, 0.99, 1].map((share) => percentile(rising, share));
    return { events: this.#events, seconds, p50Us: p50Us ?? null, p99Us: p99Us ?? null, maxUs: maxUs ?? null };
  }
}
