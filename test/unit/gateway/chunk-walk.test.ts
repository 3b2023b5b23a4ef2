import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { ChunkWalk } from '../../../src/gateway/chunk-walk.ts';
import { cutAt, cutPlaces } from '../../helpers/cuts.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

interface Chunk {
  body: Uint8Array;
  /** What stands behind the size. */
  extension: string;
  zeros: number;
  isUpper: boolean;
}

const chunks = fc.array(
  fc.record<Chunk>({
    // Bodies that look like framing themselves.
    body: fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
      fc.constantFrom('0\r\n\r\n', '\r\n', '5\r\nhello\r\n', '\r\n\r\n').map((text) => Buffer.from(text)),
      fc.integer({ min: 250, max: 300 }).map((length) => Buffer.alloc(length, '\n')),
    ),
    extension: fc.constantFrom('', '', '', '', ';x=y', ' '),
    zeros: fc.constantFrom(0, 0, 0, 2),
    isUpper: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

function framed({ body, extension, zeros, isUpper }: Chunk): Buffer {
  const hex = body.length.toString(16);
  const size = '0'.repeat(zeros) + (isUpper ? hex.toUpperCase() : hex);
  return Buffer.concat([Buffer.from(`${size}${extension}\r\n`), body, Buffer.from('\r\n')]);
}

/** As the parser drives it: what is not taken is passed. Returns what was taken, and at which place of the body. */
function drive(reads: readonly Uint8Array[], status = 200) {
  const taken: { at: number; body: Buffer; framed: Buffer }[] = [];
  let place = 0;
  const walk = new ChunkWalk({
    wholeChunk(body, whole) {
      taken.push({ at: place, body, framed: whole });
      place += whole.length;
      return true;
    },
  });
  const [first = Buffer.alloc(0), ...rest] = reads.map((read) => Buffer.from(read));
  walk.begin(first, status);
  place = first.length - HEAD.length;
  for (const read of rest) {
    if (walk.take(read) !== null) continue;
    walk.pass(read);
    place += read.length;
  }
  return taken;
}

describe('the walk along the chunks of an answer', () => {
  it('hands on whole chunks only, each from where it begins to where it ends, however the answer is cut', () => {
    fc.assert(
      fc.property(chunks, cutPlaces, fc.nat(), (list, places, inFirst) => {
        const frames = list.map(framed);
        const body = Buffer.concat([...frames, Buffer.from('0\r\n\r\n')]);
        const [start = Buffer.alloc(0), ...reads] = cutAt(body, [inFirst, ...places]);
        const begins = new Map<number, number>();
        for (let at = 0, index = 0; index < frames.length; index += 1) {
          begins.set(at, index);
          at += frames[index]?.length ?? 0;
        }
        for (const { at, body: one, framed: whole } of drive([Buffer.concat([Buffer.from(HEAD), start]), ...reads])) {
          const index = begins.get(at) ?? -1;
          expect(one).toEqual(Buffer.from(list[index]?.body ?? []));
          expect(whole).toEqual(frames[index]);
          expect(list[index]?.extension).toBe('');
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('takes every plain chunk that is read by itself, and several in one read', () => {
    const reads = ['2\r\nab\r\n', '1\r\nc\r\n3\r\ndef\r\n', '00A\r\n0123456789\r\n'].map((text) => Buffer.from(text));
    expect(drive([Buffer.from(HEAD), ...reads]).map(({ body }) => body.toString())).toEqual([
      'ab',
      'c',
      'def',
      '0123456789',
    ]);
  });

  it('finds its place again behind a chunk in several reads, and behind one that came with the head', () => {
    const reads = ['bc', '\r', '\n', '1\r\nz\r\n'].map((text) => Buffer.from(text));
    expect(drive([Buffer.from(`${HEAD}3\r\na`), ...reads]).map(({ body }) => body.toString())).toEqual(['z']);
  });

  test.each([
    ['a last chunk', '0\r\n\r\n'],
    ['a chunk and the last one', '1\r\na\r\n0\r\n\r\n'],
    ['an extension', '1;a=b\r\nx\r\n'],
    ['a bare LF', '1\nx\r\n'],
    ['a chunk without its end', '1\r\nx'],
    ['a chunk that is longer than it says', '1\r\nxy\r\n'],
    ['a size that is no number', 'g\r\nx\r\n'],
    ['a size of eight digits', '00000001\r\nx\r\n'],
    ['no size', '\r\n'],
    ['nothing', ''],
  ])('leaves %s to the parser', (_what, read) => {
    expect(drive([Buffer.from(HEAD), Buffer.from(read)])).toEqual([]);
  });

  test.each([
    ['a head in two reads', 'd\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a head behind an interim one', `HTTP/1.1 103 Early Hints\r\n\r\n${HEAD}`],
  ])('does not begin behind %s: where the body begins is not known', (_what, first) => {
    expect(drive([Buffer.from(first), Buffer.from('1\r\na\r\n')])).toEqual([]);
  });
});
