import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineFramer } from '../../../src/wire/framing/ndjson.ts';
import { byteByByte, cutAt, cutPlaces } from '../../helpers/cuts.ts';

const TOO_LARGE = '(too large)';

function frame(pieces: readonly Uint8Array[], eventBytes = 1 << 20): string[] {
  const lines: string[] = [];
  const framer = new LineFramer(
    { onLine: (line) => lines.push(line), onTooLarge: () => lines.push(TOO_LARGE) },
    eventBytes,
  );
  for (const piece of pieces) framer.push(piece);
  framer.end();
  return lines;
}

const frameText = (...pieces: string[]): string[] => frame(pieces.map((piece) => Buffer.from(piece)));

describe('newline-delimited JSON', () => {
  it('gives the same lines for any cut of any bytes, also at the bound', () => {
    const line = fc.string({ unit: fc.constantFrom('a', '{', '"', ' ', '🌍', '\r', '\n'), maxLength: 40 });
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 120 }),
      line.map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(bytes, cutPlaces, fc.integer({ min: 0, max: 30 }), (stream, places, eventBytes) => {
        const whole = frame([stream], eventBytes);
        expect(frame(cutAt(stream, places), eventBytes)).toEqual(whole);
        expect(frame(byteByByte(stream), eventBytes)).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });

  it('ends its lines with LF or CRLF, and its last line need not end', () => {
    expect(frameText('{"a":1}\n{"b":2}\r\n{"c":3}')).toEqual(['{"a":1}', '{"b":2}', '{"c":3}']);
  });

  it('has blank lines that say nothing', () => {
    expect(frameText('\n \r\n\n1\n\n')).toEqual(['1']);
  });

  it('keeps a UTF-8 sequence whole that is split over reads (B42)', () => {
    expect(frame(byteByByte(Buffer.from('🌍é\n')))).toEqual(['🌍é']);
  });

  it('tells a line at once when its end has come', () => {
    const seen: string[] = [];
    const framer = new LineFramer({ onLine: (line) => seen.push(line), onTooLarge: () => {} }, 100);
    framer.push(Buffer.from('{}\n{'));
    expect(seen).toEqual(['{}']);
  });
});

describe('a line beyond the bound', () => {
  it('is given up once, and framing goes on behind it', () => {
    const stream = `1\n${'x'.repeat(200)}\n2\n${'y'.repeat(200)}`;
    expect(frame(byteByByte(Buffer.from(stream)), 100)).toEqual(['1', TOO_LARGE, '2', TOO_LARGE]);
  });

  it('is not held: 64 MB in one line cost less than 1 MB', () => {
    const piece = Buffer.alloc(64 * 1024, 'x');
    const framer = new LineFramer({ onLine: () => {}, onTooLarge: () => {} }, 256 * 1024);
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    for (let i = 0; i < 1024; i += 1) {
      framer.push(piece);
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    expect(most).toBeLessThan(1024 * 1024);
  });
});
