import { Broadcast, type Sink } from '../../src/live/broadcast.ts';
import type { Points } from '../../src/live/stream-type.ts';
import { ManualClock } from './manual-clock.ts';

export interface ToldEvent {
  id: string | null;
  event: string | null;
  data: (Partial<Points> & { is_whole?: boolean; points?: Points; turn?: number }) | null;
  /** A comment, without its colon. */
  comment: string | null;
}

/** A broadcast on a manual clock, whose snapshots are numbered (and padded) and whose points have no figures. */
export function newBroadcast({ padding = '' } = {}) {
  const clock = new ManualClock();
  let due: { atMs: number; tick: () => void } | null = null;
  const made = { snapshots: 0, timers: 0, points: 0 };
  const faults: unknown[] = [];
  let isFaulty = false;
  const broadcast = new Broadcast({
    clock,
    snapshot: () => {
      made.snapshots += 1;
      if (isFaulty) throw new Error('no snapshot');
      return { turn: made.snapshots, padding } as never;
    },
    points: ({ count, startMs }) => {
      made.points += 1;
      return { start_ms: startMs, step_ms: 1_000, count, series: {} as never };
    },
    timer: (ms, tick) => {
      made.timers += 1;
      due = { atMs: clock.nowMs() + ms, tick };
      return () => {
        due = null;
      };
    },
    onFault: (error) => faults.push(error),
  });
  return {
    clock,
    broadcast,
    made,
    faults,
    breakDown: (isBroken: boolean) => {
      isFaulty = isBroken;
    },
    get isTicking() {
      return due !== null;
    },
    /** So much time passes, and what is due in it happens. */
    pass(ms: number) {
      const endMs = clock.nowMs() + ms;
      while (due !== null && due.atMs <= endMs) {
        const { atMs, tick } = due;
        due = null;
        clock.advance(atMs - clock.nowMs());
        tick();
      }
      clock.advance(endMs - clock.nowMs());
    },
  };
}

/** A watcher that reads unless it is told not to. */
export class TestWatcher implements Sink {
  isFull = false;
  mayLook = true;
  state: 'open' | 'ended' | 'dropped' = 'open';
  readonly texts: string[] = [];
  leave: () => void = () => {};

  join(broadcast: Broadcast, lastEventId: string | null = null): this {
    this.leave = broadcast.join({ sink: this, lastEventId, mayLook: () => this.mayLook });
    return this;
  }

  write(text: string): void {
    this.texts.push(text);
  }

  end(): void {
    this.state = 'ended';
  }

  drop(): void {
    this.state = 'dropped';
  }

  /** What was told since the last call. */
  heard(): ToldEvent[] {
    return eventsIn(this.texts.splice(0).join(''));
  }
}

/** Whole events of a text of server-sent events. */
export function eventsIn(text: string): ToldEvent[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map((block) => {
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1] ?? null;
      const data = field('data');
      return {
        id: field('id'),
        event: field('event'),
        data: data === null ? null : JSON.parse(data),
        comment: field(''),
      };
    })
    .filter(({ event, comment }) => event !== null || comment !== null);
}

/** The seconds that events tell of, in the order in which they tell, by their start in Unix seconds. */
export function secondsIn(events: readonly ToldEvent[]): number[] {
  return events.flatMap(({ event, data }) => {
    const points = event === 'history' ? data : data?.points;
    const { start_ms: startMs = 0, count = 0 } = points ?? {};
    return Array.from({ length: count }, (_, index) => startMs / 1_000 + index);
  });
}
