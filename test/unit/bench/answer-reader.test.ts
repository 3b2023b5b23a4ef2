import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AnswerReader } from '../../../scripts/bench/answer-reader.ts';
import { EventTemplate, firstChunk, lastChunks, nowUs } from '../../../scripts/bench/event.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

function read(bytes: Buffer, cuts: readonly number[]) {
  const seen = { heads: 0, stamps: [] as number[], ends: 0, faults: [] as string[] };
  const reader = new AnswerReader({
    head: () => {
      seen.heads += 1;
    },
    event: (stampUs) => seen.stamps.push(stampUs),
    end: () => {
      seen.ends += 1;
    },
    fault: (sentence) => seen.faults.push(sentence),
  });
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  for (const [index, from] of places.slice(0, -1).entries()) {
    const piece = bytes.subarray(from, places[index + 1]);
    reader.read(piece, piece.length);
  }
  return seen;
}

/** The body framed anew in chunks of `size` bytes, as a proxy may do. */
function reframed(answer: Buffer, size: number): Buffer {
  const body = [...answer.toString('latin1').matchAll(/(?:^|\r\n)[0-9a-f]+\r\n(data: [^\r]*\n\n)/g)]
    .map((found) => found[1])
    .join('');
  const pieces = body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
  return Buffer.from(
    `${HEAD}${pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')}0\r\n\r\n`,
  );
}

function answerOf(events: number): { bytes: Buffer; body: Buffer } {
  const template = new EventTemplate('m');
  const stamped = Array.from({ length: events }, () => template.stamped());
  const body = Buffer.concat([Buffer.from(firstChunk('m')), ...stamped, Buffer.from(lastChunks('m', events))]);
  return { bytes: Buffer.concat([Buffer.from(HEAD), body]), body };
}

test('every event is seen once, however the bytes are cut and framed', () => {
  const size = fc.integer({ min: 1, max: 600 });
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 4 }),
      size,
      fc.array(fc.nat(4_000), { maxLength: 30 }),
      (events, chunk, cuts) => {
        const before = Math.floor(nowUs());
        const { bytes, body } = answerOf(events);
        for (const answer of [bytes, reframed(body, chunk)]) {
          const seen = read(
            Buffer.concat([answer, answer]),
            cuts.filter((cut) => cut < answer.length * 2),
          );
          expect(seen).toMatchObject({ heads: 2, ends: 2, faults: [] });
          expect(seen.stamps).toHaveLength(2 * events);
          expect(seen.stamps.every((stamp) => stamp >= before && stamp <= nowUs())).toBe(true);
        }
      },
    ),
  );
});

test('an answer of a stated length is whole when all of it came, and the next one begins there', () => {
  const answer = `HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{"a":"b\\n"}`;
  const both = Buffer.from(`${answer}${answer}`);
  for (let cut = 0; cut < both.length; cut += 1)
    expect(read(both, [cut])).toMatchObject({ heads: 2, ends: 2, faults: [] });
  expect(read(both.subarray(0, both.length - 1), [])).toMatchObject({ heads: 2, ends: 1 });
});

test('an answer that is no 200, or whose end nobody can know, is a fault', () => {
  expect(read(Buffer.from('HTTP/1.1 502 Bad Gateway\r\n\r\n'), []).faults).toEqual([
    'an answer was 502 in place of 200',
  ]);
  expect(read(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), []).faults).toEqual([
    'an answer had neither chunks nor a length',
  ]);
  expect(read(Buffer.from('SSH-2.0-x\r\n\r\n'), []).faults).toEqual(['an answer was not HTTP in place of 200']);
});
