import { describe, expect, it, test } from 'vitest';
import { Backlog } from '../../../src/meter/backlog.ts';
import { MOST_NOTED } from '../../../src/meter/noted-events.ts';
import { openaiChat } from '../../../src/wire/dialects/openai-chat.ts';
import { metered } from '../../helpers/metered.ts';
import { content, cutStream, finish } from '../../helpers/openai-chunks.ts';

const word = (text: string) => Buffer.from(cutStream(content(text)));

describe('the backlog', () => {
  it('is worked through once a moment later, and holds nothing from then on', () => {
    const scheduled: (() => void)[] = [];
    const backlog = new Backlog((work) => scheduled.push(work));
    const caughtUp: string[] = [];
    for (const name of ['a', 'b']) backlog.add({ catchUp: () => caughtUp.push(name) });
    expect(scheduled).toHaveLength(1);
    scheduled[0]?.();
    backlog.catchUp();
    expect(caughtUp).toEqual(['a', 'b']);
    backlog.add({ catchUp: () => caughtUp.push('c') });
    expect(scheduled).toHaveLength(2);
  });
});

/** A stream whose account fails at the next event that is accounted for; one event of it is noted. */
function failing() {
  const request = metered([], { dialect: openaiChat });
  request.begin();
  for (const text of ['a', 'b']) request.meter.chunk(word(text), request.clock.nowMs());
  let calls = 0;
  request.account.emitted = () => {
    calls += 1;
    throw new Error('out of order');
  };
  return { ...request, calls: () => calls };
}

describe('a fault in accounting for what was noted', () => {
  test.each<[string, (request: ReturnType<typeof failing>) => void]>([
    ['by the backlog', ({ backlog }) => backlog.catchUp()],
    ['by who looks', ({ meter }) => expect(meter.soFar.answer.read).toBe(false)],
    ['by an event of another kind', ({ meter, clock }) => meter.chunk(Buffer.from(cutStream(finish())), clock.nowMs())],
    [
      'by several with output, in one read',
      ({ meter, clock }) => meter.chunk(Buffer.concat([word('"'), word('\\n'), word('"')]), clock.nowMs()),
    ],
    [
      'by too many',
      ({ meter, clock }) => meter.chunk(Buffer.concat(Array(3 * MOST_NOTED).fill(word('c'))), clock.nowMs()),
    ],
  ])('costs the answer its meter and is counted once, when it is found %s', (_how, find) => {
    const request = failing();
    find(request);
    request.meter.chunk(word('d'), request.clock.nowMs());
    request.backlog.catchUp();
    expect(request.degraded).toEqual(['meter_error']);
    expect(request.calls()).toBe(1);
    expect(request.finish().outcome).toBe('complete');
  });

  it('at the end costs no record', () => {
    const request = failing();
    expect(request.finish()).toMatchObject({ outcome: 'complete', status: 200 });
    expect(request.degraded).toEqual(['meter_error']);
  });
});
