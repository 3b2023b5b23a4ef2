import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { FinishedRequest } from '../meter/finished.ts';
import type { UserSnapshot } from './snapshot-type.ts';
import { UserRow } from './user-row.ts';

/** Who was not seen for so long is not told apart any more. */
const SEEN_MS = 3_600_000;
/** Users told apart at a time, far beyond the cap of labels: two to three kilobytes each, 30 MB when full. */
const MAX_ROWS = 10_000;
/** Stands for requests without identity. */
const UNKNOWN = 'unknown';
/** Takes what those had who are not told apart any more. */
const OTHER = 'other';
/** Rows written in one turn of the event loop: about a millisecond. */
const ROWS_PER_TURN = 200;

/**
 * Users of the last hour (CONTRACT §5), by finished requests. Who was not seen for an hour, or longest when there
 * are too many, is added to `other`: so the rows add up to all requests since the start.
 */
export class Users {
  readonly #clock: Clock;
  readonly #maxRows: number;
  /** Longest unseen first, which is the order in which a Map keeps what is taken out and put back. */
  readonly #rows = new Map<string, UserRow>();
  #other: UserRow | null = null;

  constructor(clock: Clock, maxRows = MAX_ROWS) {
    this.#clock = clock;
    this.#maxRows = maxRows;
  }

  finished(finished: FinishedRequest): void {
    const nowMs = this.#clock.nowMs();
    const name = finished.record.user ?? UNKNOWN;
    this.#forget(nowMs);
    if (name === OTHER) this.#rest().add(finished, nowMs);
    else this.#rowOf(name, nowMs).add(finished, nowMs);
  }

  /** The last seen first, `other` at the end if there is any. */
  *all(): Iterable<UserSnapshot> {
    const nowMs = this.#clock.nowMs();
    this.#forget(nowMs);
    for (const [user, row] of [...this.#rows].reverse()) yield row.told(user, nowMs);
    if (this.#other !== null) yield this.#other.told(OTHER, nowMs);
  }

  /** Those with the most output tokens, the most first. */
  top(count: number): UserSnapshot[] {
    const nowMs = this.#clock.nowMs();
    this.#forget(nowMs);
    const top: [string, UserRow][] = [];
    for (const entry of this.#rows) {
      const [, { outputTokens }] = entry;
      const last = top.at(count - 1);
      if (last !== undefined && last[1].outputTokens >= outputTokens) continue;
      const at = top.findIndex(([, row]) => row.outputTokens < outputTokens);
      top.splice(at < 0 ? top.length : at, 0, entry);
      top.length = Math.min(top.length, count);
    }
    return top.map(([user, row]) => row.told(user, nowMs));
  }

  #rowOf(user: string, nowMs: number): UserRow {
    const row = this.#rows.get(user) ?? new UserRow();
    this.#rows.delete(user);
    if (this.#rows.size >= this.#maxRows) {
      const [oldest] = this.#rows;
      if (oldest !== undefined) this.#evict(oldest, nowMs);
    }
    this.#rows.set(user, row);
    return row;
  }

  #forget(nowMs: number): void {
    for (const entry of this.#rows) {
      if (entry[1].lastSeenMs > nowMs - SEEN_MS) return;
      this.#evict(entry, nowMs);
    }
  }

  #evict([user, row]: [string, UserRow], nowMs: number): void {
    this.#rows.delete(user);
    this.#rest().absorb(row, nowMs);
  }

  #rest(): UserRow {
    this.#other ??= new UserRow();
    return this.#other;
  }
}

/** The body of `/api/users` in pieces, each made in its own turn of the event loop: ten thousand rows are megabytes. */
export async function* usersJson(users: Users): AsyncGenerator<string> {
  let text = '{"users":[';
  let rows = 0;
  for (const user of users.all()) {
    text += `${rows === 0 ? '' : ','}${JSON.stringify(user)}`;
    rows += 1;
    if (rows % ROWS_PER_TURN > 0) continue;
    yield text;
    text = '';
    await nextTurn();
  }
  yield `${text}]}`;
}
