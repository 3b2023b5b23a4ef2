/**
 * A connection is left alone for this long after an answer. It covers a server that closes right
 * behind its answer, across a network and on a busy machine; a new connection costs less than that.
 */
const REST_MS = 25;
/** What was learned of an upstream's closing is forgotten after this: it may have been a restart. */
const MEMORY_MS = 10 * 60_000;
/** Used up to this share of the youngest age at which a connection was seen closed. */
const SAFE_SHARE = 0.5;

/** At which idle age a connection of one upstream may be used again. All times in milliseconds. */
export class IdleAge {
  #closedAfterMs = Number.POSITIVE_INFINITY;
  #learnedAtMs = 0;

  mayReuse(ageMs: number, nowMs: number): boolean {
    if (nowMs - this.#learnedAtMs > MEMORY_MS) this.#closedAfterMs = Number.POSITIVE_INFINITY;
    return ageMs >= REST_MS && ageMs < this.#closedAfterMs * SAFE_SHARE;
  }

  /** The upstream was seen to close a connection of this idle age. */
  closedAt(ageMs: number, nowMs: number): void {
    this.#closedAfterMs = Math.min(this.#closedAfterMs, ageMs);
    this.#learnedAtMs = nowMs;
  }
}
