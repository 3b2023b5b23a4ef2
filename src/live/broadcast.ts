import type { Clock } from '../clock.ts';
import { type EventId, formatEventId, parseEventId } from './event-id.ts';
import type { PointRange } from './points.ts';
import type { Snapshot } from './snapshot-type.ts';
import type { Points, SnapshotEvent, StreamEvents } from './stream-type.ts';

/** Where the events of one watcher go. */
export interface Sink {
  write(text: string): void;
  /** What was written before is still not sent. */
  readonly isFull: boolean;
  /** No more will be written: the connection ends as it should. */
  end(): void;
  /** Nothing is waited for any more. */
  drop(): void;
}

/** Calls `tick` after so many milliseconds, once; returns what undoes it. */
export type Timer = (ms: number, tick: () => void) => () => void;

export interface BroadcastParts {
  clock: Clock;
  snapshot: () => Snapshot;
  points: (range: PointRange) => Points;
  timer: Timer;
  /** A snapshot could not be made. */
  onFault: (error: unknown) => void;
}

export interface Watch {
  sink: Sink;
  lastEventId: string | null;
  /** Asked before anything is written; a watcher who may no longer look is let go. */
  mayLook: () => boolean;
}

interface Watcher extends Watch {
  /** The last second that it was told of; null: nothing yet, or nothing that can be continued. */
  toldTo: number | null;
  fullSinceMs: number | null;
}

/** The event that everybody gets who was told all before it. */
interface Current {
  from: number;
  to: number;
  text: string;
}

const HISTORY_SECONDS = 15 * 60;
const MOST_WATCHERS = 32;
/** A watcher that reads nothing for so long is let go; meanwhile nothing is kept for it. */
const STUCK_MS = 10_000;
/** After a break a watcher comes back within this. */
const RETRY_MS = 2_000;
/** Further than this, and the wall clock was set: times told before are wrong. */
const CLOCK_STEP_MS = 1_000;
const OPENING = `retry: ${RETRY_MS}\n\n`;
/** Says that the connection lives, when there is nothing else to say. */
const HEARTBEAT = ': no news\n\n';

/**
 * What happens, once a second, to everyone who watches: worked out and serialised once for all of them, and only while
 * there are any. A watcher that does not keep up misses snapshots, and gets the points it missed when it reads again.
 */
export class Broadcast {
  readonly #parts: BroadcastParts;
  readonly #watchers = new Set<Watcher>();
  readonly #startMs: number;
  /** Unix time at the origin of the monotonic clock. */
  #originMs: number;
  #current: Current | null = null;
  /** All of the history up to this second: a crowd that comes at once gets the same. */
  #whole: { to: number; text: string } | null = null;
  #stopTimer: (() => void) | null = null;

  constructor(parts: BroadcastParts) {
    this.#parts = parts;
    this.#startMs = parts.clock.nowMs();
    this.#originMs = originOf(parts.clock);
  }

  /** Whether there is room for one more. */
  get hasRoom(): boolean {
    return this.#watchers.size < MOST_WATCHERS;
  }

  /** From now on it gets events, the history first; returns what ends that. */
  join(watch: Watch): () => void {
    // Nobody was told what came in between; but who comes and goes within a second costs it only once.
    if (this.#watchers.size === 0 && this.#current?.to !== this.#lastSecond) this.#current = null;
    const watcher: Watcher = { ...watch, toldTo: null, fullSinceMs: null };
    this.#watchers.add(watcher);
    this.#refresh();
    watcher.toldTo = this.#continued(parseEventId(watch.lastEventId));
    watch.sink.write(OPENING);
    this.#tell(watcher, { isNew: true });
    this.#schedule();
    return () => this.#leave(watcher);
  }

  /** The stream is over for everyone. */
  close(): void {
    for (const { sink } of this.#watchers) sink.end();
    this.#watchers.clear();
    this.#rest();
  }

  #leave(watcher: Watcher): void {
    this.#watchers.delete(watcher);
    if (this.#watchers.size === 0) this.#rest();
  }

  #rest(): void {
    this.#stopTimer?.();
    this.#stopTimer = null;
  }

  /** Just after the next full second, when its figures are known. */
  #schedule(): void {
    if (this.#stopTimer !== null || this.#watchers.size === 0) return;
    const toNextMs = 1_000 - (this.#parts.clock.nowMs() % 1_000);
    this.#stopTimer = this.#parts.timer(Math.ceil(toNextMs), () => {
      this.#stopTimer = null;
      this.#refresh();
      for (const watcher of this.#watchers) this.#look(watcher);
      this.#schedule();
    });
  }

  #look(watcher: Watcher): void {
    const { sink } = watcher;
    const nowMs = this.#parts.clock.nowMs();
    if (!watcher.mayLook()) {
      sink.end();
      this.#leave(watcher);
    } else if (!sink.isFull) {
      watcher.fullSinceMs = null;
      this.#tell(watcher, { isNew: false });
    } else {
      watcher.fullSinceMs ??= nowMs;
      if (nowMs - watcher.fullSinceMs < STUCK_MS) return;
      sink.drop();
      this.#leave(watcher);
    }
  }

  /** A fault of ours costs a watcher this news, and nobody anything else. */
  #tell(watcher: Watcher, { isNew }: { isNew: boolean }): void {
    try {
      this.#tellNews(watcher, { isNew });
    } catch (error) {
      this.#parts.onFault(error);
    }
  }

  /** The current snapshot, after the history or what was missed of it. */
  #tellNews(watcher: Watcher, { isNew }: { isNew: boolean }): void {
    const current = this.#current;
    const before = (current?.from ?? this.#lastSecond + 1) - 1;
    if (isNew || watcher.toldTo === null || watcher.toldTo < before) this.#tellSequel(watcher, before);
    if (current === null) watcher.sink.write(HEARTBEAT);
    else if (watcher.toldTo === before) {
      watcher.sink.write(current.text);
      watcher.toldTo = current.to;
    }
  }

  /** All points that the watcher has not got, up to this second. */
  #tellSequel(watcher: Watcher, to: number): void {
    const { toldTo } = watcher;
    watcher.toldTo = Math.max(to, toldTo ?? to);
    if (toldTo !== null) watcher.sink.write(this.#history({ is_whole: false, from: toldTo + 1, to: watcher.toldTo }));
    else {
      const from = Math.max(to + 1 - HISTORY_SECONDS, this.#firstSecond);
      if (this.#whole?.to !== to) this.#whole = { to, text: this.#history({ is_whole: true, from, to }) };
      watcher.sink.write(this.#whole.text);
    }
  }

  #history({ is_whole, from, to }: { is_whole: boolean; from: number; to: number }): string {
    return this.#event('history', { is_whole, ...this.#points(from, to + 1) }, to);
  }

  /** Makes the event of the second that has just ended, unless it is there. */
  #refresh(): void {
    this.#followWallClock();
    const to = this.#lastSecond;
    const before = this.#current;
    if (before?.to === to) return;
    const from = before === null ? Math.max(to, this.#firstSecond) : Math.max(before.to + 1, to - HISTORY_SECONDS);
    try {
      const snapshot: SnapshotEvent = { ...this.#parts.snapshot(), points: this.#points(from, to + 1) };
      this.#current = { from, to, text: this.#event('snapshot', snapshot, to) };
    } catch (error) {
      this.#current = null;
      this.#parts.onFault(error);
    }
  }

  /** What was told under a wall clock that has been set since is told anew. */
  #followWallClock(): void {
    const originMs = originOf(this.#parts.clock);
    if (Math.abs(originMs - this.#originMs) < CLOCK_STEP_MS) return;
    this.#originMs = originMs;
    this.#current = null;
    this.#whole = null;
    for (const watcher of this.#watchers) watcher.toldTo = null;
  }

  /** The second up to which this id tells of what we would tell; null where it is another's, or too long ago. */
  #continued(id: EventId | null): number | null {
    const isOurs = id !== null && id.origin === this.#origin;
    return isOurs && id.second <= this.#lastSecond && id.second >= this.#lastSecond - HISTORY_SECONDS
      ? id.second
      : null;
  }

  #points(from: number, end: number): Points {
    return this.#parts.points({ from, count: end - from, startMs: Math.round(this.#originMs + from * 1_000) });
  }

  #event<Name extends keyof StreamEvents>(name: Name, data: StreamEvents[Name], second: number): string {
    const id = formatEventId({ origin: this.#origin, second });
    return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  }

  get #origin(): string {
    return `${Math.round(this.#startMs).toString(36)}-${Math.round(this.#originMs).toString(36)}`;
  }

  /** The second in which it all began: of the part of it before that, nothing is known, and nothing came. */
  get #firstSecond(): number {
    return Math.floor(this.#startMs / 1_000);
  }

  /** The last one that is over. */
  get #lastSecond(): number {
    return Math.floor(this.#parts.clock.nowMs() / 1_000) - 1;
  }
}

function originOf(clock: Clock): number {
  return clock.epochMs() - clock.nowMs();
}
