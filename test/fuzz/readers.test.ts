import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { endpointOf } from '../../src/wire/registry.ts';
import { mediaTypeOf } from '../helpers/corpus.ts';
import { byteByByte, cutAt, cutPlaces } from '../helpers/cuts.ts';
import { headOf, readAnswer, SILENT } from '../helpers/fact-log.ts';
import { law } from './law.ts';
import { edits, mutated } from './mutations.ts';
import { INTERESTING, recordings } from './recordings.ts';

/** Those whose path has a reader. */
const read = recordings.flatMap(({ entry, path, bytes }) => {
  const { dialect } = endpointOf('POST', path);
  return dialect === null ? [] : [{ bytes, head: headOf(mediaTypeOf(entry)), dialect }];
});

const recipe = fc.record({
  recording: fc.nat(Math.max(0, read.length - 1)),
  /** Now and then an answer of another API than its path says. */
  dialectOf: fc.option(fc.nat(Math.max(0, read.length - 1)), { freq: 4 }),
  edits: edits(INTERESTING),
  eventBytes: fc.constantFrom(200, 2_000, 4 * 1_024 * 1_024),
  isWhole: fc.boolean(),
});

function made(of: { recording: number; dialectOf: number | null; edits: Parameters<typeof mutated>[1] }) {
  const recording = read[of.recording];
  const other = read[of.dialectOf ?? of.recording];
  if (recording === undefined || other === undefined) throw new Error('there is no such recording');
  return { head: recording.head, dialect: other.dialect, bytes: mutated(recording.bytes, of.edits) };
}

describe.skipIf(read.length === 0)('a reader, whatever an answer holds', () => {
  law(
    'never throws, and tells the same facts however the bytes are cut',
    400,
    fc.property(recipe, cutPlaces, ({ eventBytes, isWhole, ...of }, places) => {
      const { head, dialect, bytes } = made(of);
      const options = { head, eventBytes, whole: isWhole };
      const expected = readAnswer(dialect, [bytes], options);
      expect(readAnswer(dialect, cutAt(bytes, places), options)).toEqual(expected);
      if (bytes.length < 4_000) expect(readAnswer(dialect, byteByByte(bytes), options)).toEqual(expected);
    }),
  );

  law(
    'counts nothing that is no whole number of tokens, and no output that is empty',
    200,
    fc.property(recipe, ({ eventBytes, isWhole, ...of }) => {
      const { head, dialect, bytes } = made(of);
      const { log } = readAnswer(dialect, [bytes], { head, eventBytes, whole: isWhole });
      const counts = [
        ...log.of('usage').flatMap(({ snapshot }) => Object.values(snapshot)),
        ...log.of('choiceTokens').map(({ outputTokens }) => outputTokens),
      ];
      expect(counts.filter((tokens) => !(Number.isSafeInteger(tokens) && tokens >= 0))).toEqual([]);
      expect(log.of('output').filter(({ text }) => text === '')).toEqual([]);
    }),
  );

  law(
    'keeps no more of an answer the longer it lasts',
    8,
    fc.property(recipe, fc.nat(1_000_000), fc.boolean(), ({ isWhole, eventBytes: _, ...of }, at, isCounting) => {
      const { head, dialect, bytes } = made(of);
      const from = Math.round((at * bytes.length) / 1_000_000);
      const piece = bytes.subarray(from, from + 4_000);
      const opened = dialect.open(head, SILENT, 64 * 1_024);
      if (opened === null || piece.length === 0) return;
      opened.reader.push(bytes.subarray(0, from));
      const held = Array.from({ length: 4 }, (_, step) => {
        for (let read = 0; read < STEP_BYTES; read += piece.length) {
          opened.reader.push(isCounting ? numbered(piece, step * STEP_BYTES + read) : piece);
        }
        return heldBytes();
      });
      const growth = held.slice(1).map((bytesThen, step) => bytesThen - (held[step] ?? 0));
      expect(Math.min(...growth)).toBeLessThan(MOST_GROWTH_BYTES);
      opened.reader.end(isWhole);
    }),
  );
});

const STEP_BYTES = 4 * 1_024 * 1_024;
/** A heap comes and goes by more than this, but not up in every step: what piles up does. */
const MOST_GROWTH_BYTES = 100_000;

/** The piece with another number in place of every number: what is kept by index or id would pile up. */
function numbered(piece: Buffer, round: number): Buffer {
  const number = Buffer.from(String(round));
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = 0; at < piece.length; at += 1) {
    if (!isDigit(piece[at])) continue;
    parts.push(piece.subarray(from, at), number);
    while (isDigit(piece[at + 1])) at += 1;
    from = at + 1;
  }
  return Buffer.concat([...parts, piece.subarray(from)]);
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heldBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
