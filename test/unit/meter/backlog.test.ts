import { describe, expect, it, test } from 'vitest';
import { Backlog, Waiting } from '../../../src/meter/backlog.ts';
import { openaiChat } from '../../../src/wire/dialects/openai-chat.ts';
import { metered } from '../../helpers/metered.ts';
import { content, cutStream, finish } from '../../helpers/openai-chunks.ts';

const word = (text: string) => Buffer.from(cutStream(content(text)));

/** A backlog, what it has scheduled, and what its readers have read. */
function open() {
  const scheduled: (() => void)[] = [];
  const read: [name: string, text: string, atMs: number][] = [];
  const readerOf = (name: string) =>
    new Waiting({ read: ({ bytes, from, to }, atMs) => read.push([name, bytes.toString('utf8', from, to), atMs]) });
  return { backlog: new Backlog((work) => scheduled.push(work)), scheduled, read, a: readerOf('a'), b: readerOf('b') };
}

describe('the backlog', () => {
  it('has everything read a moment later, of each answer in its order, as it came and when it came', () => {
    const { backlog, scheduled, read, a, b } = open();
    const bytes = Buffer.from('one');
    backlog.add(a, bytes, 1);
    bytes.fill('x');
    backlog.add(b, Buffer.from('two'), 2.5);
    backlog.add(a, Buffer.from('three'), 3);
    expect(read).toEqual([]);
    expect(scheduled).toHaveLength(1);
    scheduled[0]?.();
    backlog.catchUp();
    expect(read).toEqual([
      ['a', 'one', 1],
      ['a', 'three', 3],
      ['b', 'two', 2.5],
    ]);
  });

  it('reads nothing twice, and nothing as another answer, when a reader throws after all', () => {
    const { backlog, read, a, b } = open();
    const failing = new Waiting({
      read: () => {
        throw new Error('out of order');
      },
    });
    backlog.add(a, Buffer.from('one'), 1);
    backlog.add(failing, Buffer.from('two'), 2);
    backlog.add(b, Buffer.from('three'), 3);
    expect(() => backlog.catchUp()).toThrow('out of order');
    backlog.add(b, Buffer.from('four'), 4);
    backlog.add(a, Buffer.from('five'), 5);
    backlog.catchUp();
    backlog.catchUp();
    expect(read.map(([, text]) => text)).toEqual(['one', 'four', 'five']);
  });

  it('is scheduled once at a time, however often somebody looks in between', () => {
    const { backlog, scheduled, a } = open();
    for (let look = 0; look < 100; look += 1) {
      backlog.add(a, Buffer.from('x'), look);
      backlog.catchUp();
    }
    expect(scheduled).toHaveLength(1);
    scheduled[0]?.();
    backlog.add(a, Buffer.from('x'), 100);
    expect(scheduled).toHaveLength(2);
  });

  it.each([
    ['chunks', 3_000, 'x'],
    ['bytes', 500, 'x'.repeat(3_000)],
    ['bytes of a few', 5, 'x'.repeat(100_000)],
    ['bytes of one', 3, 'x'.repeat(700_000)],
  ])('holds a bounded number of %s, and loses none', (_what, count, text) => {
    const { backlog, read, a } = open();
    let most = 0;
    for (let chunk = 0; chunk < count; chunk += 1) {
      backlog.add(a, Buffer.from(text), chunk);
      most = Math.max(most, chunk + 1 - read.length);
    }
    expect(most).toBeLessThanOrEqual(512);
    expect(most * text.length).toBeLessThanOrEqual(128 * 1_024);
    backlog.catchUp();
    expect(read.map(([, , atMs]) => atMs)).toEqual(Array.from({ length: count }, (_, chunk) => chunk));
    expect(read.every(([, each]) => each === text)).toBe(true);
  });
});

/** A stream that has begun, and whose account fails at the next event that is read. */
function failing() {
  const request = metered([], { dialect: openaiChat });
  request.begin();
  for (const text of ['a', 'b']) request.meter.chunk(word(text), request.clock.nowMs());
  request.backlog.catchUp();
  let calls = 0;
  request.account.emitted = () => {
    calls += 1;
    throw new Error('out of order');
  };
  return { ...request, calls: () => calls };
}

describe('a fault in reading what waited', () => {
  test.each<[string, (request: ReturnType<typeof failing>) => void]>([
    ['by the backlog', ({ backlog }) => backlog.catchUp()],
    ['by who looks', ({ meter }) => expect(meter.soFar.answer.read).toBe(false)],
    ['by who hears', ({ meter }) => expect(meter.heard.hasUsage).toBe(false)],
    [
      'before an event of another kind',
      ({ meter, clock }) => meter.chunk(Buffer.from(cutStream(finish())), clock.nowMs()),
    ],
    [
      'by several with output, in one read',
      ({ meter, clock }) => meter.chunk(Buffer.concat([word('"'), word('\\n'), word('"')]), clock.nowMs()),
    ],
    ['by too many', ({ meter, clock }) => meter.chunk(Buffer.concat(Array(5_000).fill(word('c'))), clock.nowMs())],
  ])('costs the answer its meter and is counted once, when it is found %s', (_how, find) => {
    const request = failing();
    request.meter.chunk(word('c'), request.clock.nowMs());
    find(request);
    request.meter.chunk(word('d'), request.clock.nowMs());
    request.backlog.catchUp();
    expect(request.degraded).toEqual(['meter_error']);
    expect(request.calls()).toBe(1);
    expect(request.finish().outcome).toBe('complete');
  });

  it('at the end costs no record', () => {
    const request = failing();
    request.meter.chunk(word('c'), request.clock.nowMs());
    expect(request.finish()).toMatchObject({ outcome: 'complete', status: 200 });
    expect(request.degraded).toEqual(['meter_error']);
  });
});
