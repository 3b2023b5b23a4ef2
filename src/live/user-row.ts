import type { FinishedRequest } from '../meter/finished.ts';
import type { SpeedQuantiles, UserSnapshot } from './snapshot-type.ts';
import { UserSpread } from './user-spread.ts';

/** The smallest speed told apart, in tokens or characters per second, and the smallest TTFT, in milliseconds. */
const LOWEST_SPEED = 0.1;
const LOWEST_TTFT_MS = 1;

/** What one user asked for and got: totals since the first request, and how it was served of late. */
export class UserRow {
  outputTokens = 0;
  /** Monotonic. */
  lastSeenMs = 0;
  #requests = 0;
  #inputTokens = 0;
  /** RFC 3339. */
  #lastSeen = '';
  readonly #speed = new UserSpread(LOWEST_SPEED);
  readonly #characters = new UserSpread(LOWEST_SPEED);
  readonly #ttftMs = new UserSpread(LOWEST_TTFT_MS);

  add({ record, slowClient }: FinishedRequest, nowMs: number): void {
    this.#requests += 1;
    this.#inputTokens += record.input_tokens ?? 0;
    this.outputTokens += record.output_tokens ?? 0;
    this.#ttftMs.add(record.ttft_ms, nowMs);
    // A client that reads slowly says nothing of how fast it is served (CONTRACT §6.10).
    if (!slowClient) {
      this.#speed.add(record.user_speed_tokens_per_second, nowMs);
      this.#characters.add(record.characters_per_second, nowMs);
    }
    this.#seen(nowMs, record.time);
  }

  /** Takes over what another row holds. */
  absorb(other: UserRow, nowMs: number): void {
    this.#requests += other.#requests;
    this.#inputTokens += other.#inputTokens;
    this.outputTokens += other.outputTokens;
    this.#speed.absorb(other.#speed, nowMs);
    this.#characters.absorb(other.#characters, nowMs);
    this.#ttftMs.absorb(other.#ttftMs, nowMs);
    this.#seen(other.lastSeenMs, other.#lastSeen);
  }

  told(user: string, nowMs: number): UserSnapshot {
    const [ttft = null] = this.#ttftMs.quantiles([0.95], nowMs) ?? [];
    return {
      user,
      requests: this.#requests,
      input_tokens: this.#inputTokens,
      output_tokens: this.outputTokens,
      speed: speedOf(this.#speed, nowMs),
      characters_per_second: speedOf(this.#characters, nowMs),
      ttft_p95_ms: ttft,
      last_seen: this.#lastSeen,
    };
  }

  #seen(atMs: number, time: string): void {
    if (atMs < this.lastSeenMs) return;
    this.lastSeenMs = atMs;
    this.#lastSeen = time;
  }
}

/** Low is bad, so the low end is told. */
function speedOf(spread: UserSpread, nowMs: number): SpeedQuantiles | null {
  const [p1, p10, p50] = spread.quantiles([0.01, 0.1, 0.5], nowMs) ?? [];
  return p1 === undefined || p10 === undefined || p50 === undefined ? null : { p1, p10, p50 };
}
