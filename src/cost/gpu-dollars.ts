const MS_PER_HOUR = 3_600_000;

/** Dollars for a million output tokens made at this rate by GPUs of this price (CONTRACT §1); null while nothing flows. */
export function dollarsPerMillion(dollarsPerHour: number, tokensPerSecond: number): number | null {
  return tokensPerSecond > 0 ? (dollarsPerHour / (tokensPerSecond * 3_600)) * 1e6 : null;
}

/** Configured GPUs × their price; null where either is not configured. */
export function dollarsPerHour(upstream: { gpus: number | null; gpu_price_per_hour: number | null }): number | null {
  const { gpus, gpu_price_per_hour: price } = upstream;
  return gpus === null || price === null ? null : gpus * price;
}

/** What the GPUs of one upstream cost while time passes, and how much of it while no request was in flight. */
export class GpuDollars {
  total = 0;
  idle = 0;
  #atMs: number;
  #busyMs: number;

  constructor(nowMs: number, busyMs: number) {
    this.#atMs = nowMs;
    this.#busyMs = busyMs;
  }

  /** Time has passed at this price. `busyMs`: all time so far with a request in flight. */
  pass(perHour: number, { nowMs, busyMs }: { nowMs: number; busyMs: number }): void {
    const passedMs = Math.max(0, nowMs - this.#atMs);
    const idleMs = Math.min(passedMs, Math.max(0, passedMs - (busyMs - this.#busyMs)));
    this.#atMs = nowMs;
    this.#busyMs = busyMs;
    this.total += (passedMs / MS_PER_HOUR) * perHour;
    this.idle += (idleMs / MS_PER_HOUR) * perHour;
  }
}
