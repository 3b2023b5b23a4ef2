import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lines } from '../../../src/usage-report/lines.ts';

/** The lines of these chunks. */
function linesOf(chunks: readonly Uint8Array[]): (string | null)[] {
  const told: (string | null)[] = [];
  const lines = new Lines((text) => told.push(text));
  for (const chunk of chunks) lines.push(Buffer.from(chunk));
  lines.end();
  return told;
}

describe('lines of a log', () => {
  it('are the same however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 12 })),
        fc.infiniteStream(fc.nat(9)),
        (texts, cuts) => {
          const wanted = texts.map((text) => text.replaceAll('\n', ''));
          const bytes = Buffer.from(wanted.map((text) => `${text}\n`).join(''));
          const chunks: Uint8Array[] = [];
          for (let at = 0; at < bytes.length; ) {
            const next = at + (cuts.next().value ?? 1);
            chunks.push(bytes.subarray(at, next));
            at = next;
          }
          expect(linesOf(chunks)).toEqual(wanted);
        },
      ),
    );
  });

  it('include a last one without its newline', () => {
    expect(linesOf([Buffer.from('a\nb')])).toEqual(['a', 'b']);
    expect(linesOf([Buffer.from('a\n')])).toEqual(['a']);
    expect(linesOf([])).toEqual([]);
  });

  it('are told and not kept when they are longer than any record, whole or in pieces', () => {
    const long = Buffer.alloc(300_000, 'x');
    expect(linesOf([long, long, Buffer.from('\nnext\n')])).toEqual([null, 'next']);
    expect(linesOf([Buffer.concat([Buffer.from('a\n'), long, Buffer.from('\nb')])])).toEqual(['a', null, 'b']);
  });
});
