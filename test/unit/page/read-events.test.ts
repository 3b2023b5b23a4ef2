import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEvents } from '../../../src/page/feed/read-events.ts';

const STREAM = `retry: 2000

id: a.1
event: history
data: {"user":"Søren 🐎"}

: a heartbeat

id: a.2
event: snapshot
data: {"n":2}

id: a.3
event: snapshot
data: {"n":3
`;

const BYTES = new TextEncoder().encode(STREAM);

async function read(pieces: readonly Uint8Array<ArrayBuffer>[]) {
  const seen: string[] = [];
  let signsOfLife = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  await readEvents(body, {
    onEvent: ({ id, event, data }) => seen.push([id, event, data].join(' ')),
    onLife: () => {
      signsOfLife += 1;
    },
  });
  return { seen, signsOfLife };
}

describe('the stream of the gateway', () => {
  it('is read the same wherever it is cut, inside a character too, and what did not come whole is not told', async () => {
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: BYTES.length - 1 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const edges = [0, ...places.sort((a, b) => a - b), BYTES.length];
        const pieces = edges.slice(1).map((end, index) => BYTES.slice(edges[index], end));
        const { seen } = await read(pieces);
        expect(seen).toEqual(['a.1 history {"user":"Søren 🐎"}', 'a.2 snapshot {"n":2}']);
      }),
    );
  });

  it('a heartbeat is a sign of life and no event', async () => {
    expect(await read([new TextEncoder().encode(': still here\n\n')])).toEqual({ seen: [], signsOfLife: 1 });
  });
});
