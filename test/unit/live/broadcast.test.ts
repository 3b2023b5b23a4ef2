import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newBroadcast, secondsIn, TestWatcher } from '../../helpers/broadcast.ts';

const QUARTER_S = 900;
const kinds = (events: { event: string | null }[]) => events.map(({ event }) => event);

describe('what watchers are told', () => {
  it('is the history first, then a snapshot a second, each second once and in order', () => {
    const { broadcast, pass } = newBroadcast();
    pass(20_000);
    const watcher = new TestWatcher().join(broadcast);
    const first = watcher.heard();
    expect(kinds(first)).toEqual(['history', 'snapshot']);
    expect(first[0]?.data).toMatchObject({ is_whole: true, count: 19 });
    pass(3_000);
    const next = watcher.heard();
    expect(kinds(next)).toEqual(['snapshot', 'snapshot', 'snapshot']);
    expect(next.map(({ data }) => data?.points?.count)).toEqual([1, 1, 1]);
    const seconds = secondsIn([...first, ...next]);
    expect(seconds).toEqual(Array.from({ length: 23 }, (_, index) => (seconds[0] ?? 0) + index));
  });

  it('says at first how soon to come back after a break', () => {
    const { broadcast } = newBroadcast();
    expect(new TestWatcher().join(broadcast).texts[0]).toBe('retry: 2000\n\n');
  });

  it('reaches back a quarter of an hour, and not beyond the start', () => {
    const { broadcast, pass } = newBroadcast();
    const early = new TestWatcher().join(broadcast);
    expect(early.heard()[0]?.data?.count).toBe(0);
    pass(2 * QUARTER_S * 1_000);
    const late = new TestWatcher().join(broadcast);
    expect(secondsIn(late.heard())).toHaveLength(QUARTER_S + 1);
  });

  it('is worked out once for all', () => {
    const { broadcast, pass, made } = newBroadcast();
    const watchers = Array.from({ length: 20 }, () => new TestWatcher().join(broadcast));
    const before = made.snapshots;
    for (const watcher of watchers) watcher.heard();
    pass(5_000);
    expect(made.snapshots - before).toBe(5);
    const texts = watchers.map(({ texts: told }) => told.join(''));
    expect(new Set(texts).size).toBe(1);
  });

  it('costs nothing while nobody watches: no snapshot, no timer', () => {
    const test = newBroadcast();
    test.pass(10_000);
    expect([test.made.snapshots, test.isTicking]).toEqual([0, false]);
    const watcher = new TestWatcher().join(test.broadcast);
    expect(test.isTicking).toBe(true);
    watcher.leave();
    expect(test.isTicking).toBe(false);
    const made = { ...test.made };
    test.pass(10_000);
    expect(test.made).toEqual(made);
  });

  it('costs no more for a crowd that comes and goes than for one', () => {
    const { broadcast, pass, made } = newBroadcast();
    pass(100_000);
    const texts = Array.from({ length: 50 }, () => {
      const watcher = new TestWatcher().join(broadcast);
      watcher.leave();
      return watcher.texts.join('');
    });
    expect(new Set(texts).size).toBe(1);
    expect(made).toMatchObject({ snapshots: 1, points: 2 });
    pass(1_000);
    expect(secondsIn(new TestWatcher().join(broadcast).heard())).toHaveLength(101);
    expect(made).toMatchObject({ snapshots: 2, points: 4 });
  });

  it('comes just after a full second', () => {
    const { broadcast, pass, clock, made } = newBroadcast();
    pass(300);
    new TestWatcher().join(broadcast);
    const joined = made.snapshots;
    pass(699);
    expect(made.snapshots).toBe(joined);
    pass(1);
    expect(made.snapshots).toBe(joined + 1);
    expect(clock.nowMs() % 1_000).toBe(0);
  });
});

describe('a watcher that comes back', () => {
  it('gets what it missed, and nothing twice', () => {
    const { broadcast, pass } = newBroadcast();
    pass(60_000);
    const before = new TestWatcher().join(broadcast);
    pass(5_000);
    const told = before.heard();
    before.leave();
    pass(7_500);
    const after = new TestWatcher().join(broadcast, told.at(-1)?.id ?? null);
    pass(2_000);
    const missed = after.heard();
    expect(missed[0]?.data).toMatchObject({ is_whole: false, count: 6 });
    const seconds = secondsIn([...told, ...missed]);
    expect(seconds).toEqual(Array.from({ length: seconds.length }, (_, index) => (seconds[0] ?? 0) + index));
    expect(seconds).toHaveLength(74);
  });

  it('gets an empty sequel when it missed nothing, then the next snapshot', () => {
    const { broadcast, pass } = newBroadcast();
    pass(60_000);
    const before = new TestWatcher().join(broadcast);
    const after = new TestWatcher().join(broadcast, before.heard().at(-1)?.id ?? null);
    const again = after.heard();
    expect(kinds(again)).toEqual(['history']);
    expect(again[0]?.data).toMatchObject({ is_whole: false, count: 0 });
    expect(again[0]?.id).toMatch(/^[0-9a-z-]+\.[0-9]+$/);
    pass(1_000);
    expect(kinds(after.heard())).toEqual(['snapshot']);
  });

  it.each([
    ['too late', (id: string) => id, (QUARTER_S + 2) * 1_000],
    ['from another process', (id: string) => `x${id}`, 1_000],
    ['from the future', (id: string) => id.replace(/\d+$/, '99999999999'), 1_000],
    ['with something else', () => '<script>', 1_000],
    ['with nothing', () => '', 1_000],
  ])('gets the whole history %s', (_why, change, awayMs) => {
    const { broadcast, pass } = newBroadcast();
    pass(5_000);
    const before = new TestWatcher().join(broadcast);
    const id = before.heard().at(-1)?.id ?? '';
    before.leave();
    pass(awayMs);
    const after = new TestWatcher().join(broadcast, change(id));
    expect(after.heard()[0]?.data).toMatchObject({ is_whole: true });
  });

  it('gets everything anew when the wall clock was set meanwhile, and so does who stayed', () => {
    const { broadcast, pass, clock } = newBroadcast();
    pass(5_000);
    const stayed = new TestWatcher().join(broadcast);
    const id = stayed.heard().at(-1)?.id ?? null;
    clock.stepWall(3_600_000);
    pass(1_000);
    const news = stayed.heard();
    expect(kinds(news)).toEqual(['history', 'snapshot']);
    expect(news[0]?.data?.is_whole).toBe(true);
    expect(new TestWatcher().join(broadcast, id).heard()[0]?.data?.is_whole).toBe(true);
  });
});

describe('a watcher that does not keep up', () => {
  it('misses snapshots, keeps nothing waiting, and gets the points it missed', () => {
    const { broadcast, pass } = newBroadcast();
    pass(60_000);
    const slow = new TestWatcher().join(broadcast);
    const told = slow.heard();
    slow.isFull = true;
    pass(5_000);
    expect(slow.texts).toEqual([]);
    slow.isFull = false;
    pass(1_000);
    const news = slow.heard();
    expect(kinds(news)).toEqual(['history', 'snapshot']);
    expect(news[0]?.data).toMatchObject({ is_whole: false, count: 5 });
    const seconds = secondsIn([...told, ...news]);
    expect(seconds).toEqual(Array.from({ length: 66 }, (_, index) => (seconds[0] ?? 0) + index));
  });

  it('is dropped after ten seconds, and the others are told on', () => {
    const { broadcast, pass } = newBroadcast();
    const stuck = new TestWatcher().join(broadcast);
    const other = new TestWatcher().join(broadcast);
    stuck.isFull = true;
    pass(10_000);
    expect(stuck.state).toBe('open');
    pass(1_000);
    expect([stuck.state, other.state]).toEqual(['dropped', 'open']);
    other.heard();
    pass(1_000);
    expect(kinds(other.heard())).toEqual(['snapshot']);
  });
});

describe('the room for watchers', () => {
  it('is for 32, and free again when one leaves', () => {
    const { broadcast } = newBroadcast();
    const watchers = Array.from({ length: 32 }, () => new TestWatcher().join(broadcast));
    expect(broadcast.hasRoom).toBe(false);
    watchers[7]?.leave();
    expect(broadcast.hasRoom).toBe(true);
  });

  it('is closed to who may no longer look', () => {
    const { broadcast, pass } = newBroadcast();
    const watcher = new TestWatcher().join(broadcast);
    watcher.heard();
    watcher.mayLook = false;
    pass(1_000);
    expect([watcher.state, watcher.texts]).toEqual(['ended', []]);
  });

  it('is empty after the end, and everyone has been let go', () => {
    const test = newBroadcast();
    const watchers = [new TestWatcher().join(test.broadcast), new TestWatcher().join(test.broadcast)];
    test.broadcast.close();
    expect(watchers.map(({ state }) => state)).toEqual(['ended', 'ended']);
    expect(test.isTicking).toBe(false);
  });
});

describe('a fault of the live view', () => {
  it('is reported, a heartbeat says that the connection lives, and no second is lost', () => {
    const { broadcast, pass, faults, breakDown } = newBroadcast();
    pass(30_000);
    const watcher = new TestWatcher().join(broadcast);
    const told = watcher.heard();
    breakDown(true);
    pass(2_000);
    const meanwhile = watcher.heard();
    expect(meanwhile.filter(({ comment }) => comment !== null).length).toBe(2);
    expect(faults.length).toBe(2);
    breakDown(false);
    pass(2_000);
    const seconds = secondsIn([...told, ...meanwhile, ...watcher.heard()]);
    expect(seconds).toEqual(Array.from({ length: 34 }, (_, index) => (seconds[0] ?? 0) + index));
  });
});

describe('every watcher', () => {
  it('is told of each second at most once and in order, whatever it and others do', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 4_000 }) }),
      fc.constant({ kind: 'block' as const }),
      fc.constant({ kind: 'read' as const }),
      fc.constant({ kind: 'break' as const }),
      fc.constant({ kind: 'fault' as const }),
      fc.constant({ kind: 'other' as const }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { broadcast, pass, breakDown, clock } = newBroadcast();
        pass(100_000);
        let watcher = new TestWatcher().join(broadcast);
        let isFaulty = false;
        const told = watcher.heard();
        for (const one of steps) {
          if (one.kind === 'pass') pass(one.ms);
          if (one.kind === 'block') watcher.isFull = true;
          if (one.kind === 'read') watcher.isFull = false;
          if (one.kind === 'other') new TestWatcher().join(broadcast).leave();
          if (one.kind === 'fault') {
            isFaulty = !isFaulty;
            breakDown(isFaulty);
          }
          told.push(...watcher.heard());
          const last = told.findLast(({ id }) => id !== null)?.id ?? null;
          if (one.kind !== 'break' && watcher.state === 'open') continue;
          watcher.leave();
          watcher = new TestWatcher().join(broadcast, last);
          told.push(...watcher.heard());
        }
        breakDown(false);
        watcher.isFull = false;
        pass(1_000);
        told.push(...watcher.heard());
        const seconds = secondsIn(told);
        expect(seconds).toEqual(Array.from({ length: seconds.length }, (_, index) => (seconds[0] ?? 0) + index));
        expect((seconds.at(-1) ?? 0) + 1).toBe(Math.floor(clock.epochMs() / 1_000));
      }),
      { numRuns: 200 },
    );
  });
});
