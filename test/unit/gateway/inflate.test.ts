import { brotliCompressSync, constants, createGzip, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openInflater } from '../../../src/gateway/inflate.ts';

const ENCODERS: Record<string, (text: Uint8Array) => Uint8Array> = {
  gzip: (text) => gzipSync(text),
  'x-gzip': (text) => gzipSync(text),
  deflate: (text) => deflateSync(text),
  'deflate without its wrapper': (text) => deflateRawSync(text),
  br: (text) => brotliCompressSync(text),
};

function inflate(
  encoding: string,
  pieces: readonly Uint8Array[],
): Promise<{ text: string; failures: number; stamps: number[] }> {
  return new Promise((resolve) => {
    let text = '';
    let failures = 0;
    const stamps: number[] = [];
    const decoder = openInflater(encoding, {
      plain(bytes, atMs) {
        text += Buffer.from(bytes).toString('latin1');
        stamps.push(atMs);
      },
      failed() {
        failures += 1;
      },
    });
    pieces.forEach((piece, number) => {
      decoder?.push(piece, number);
    });
    decoder?.end(() => resolve({ text, failures, stamps }));
  });
}

describe('an encoded answer', () => {
  it.each(Object.keys(ENCODERS))('in %s reads the same however it was cut', async (encoding) => {
    const cuts = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 3_000, unit: 'binary-ascii' }), cuts, async (text, sizes) => {
        const encoded = ENCODERS[encoding]?.(Buffer.from(text, 'latin1')) ?? new Uint8Array();
        const pieces: Uint8Array[] = [];
        for (let at = 0, turn = 0; at < encoded.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          pieces.push(encoded.subarray(at, at + size));
          at += size;
        }
        expect(await inflate(encoding.split(' ')[0] ?? '', pieces)).toMatchObject({ text, failures: 0 });
      }),
      { numRuns: 30 },
    );
  });

  it('that was flushed per event is read per event, each stamped with the moment it arrived', async () => {
    const gzip = createGzip();
    const pieces: Buffer[] = [];
    gzip.on('data', (piece) => pieces.push(piece));
    const events = ['one', 'two', 'three'];
    const marks: number[] = [];
    for (const event of events) {
      gzip.write(event);
      await new Promise<void>((resolve) => gzip.flush(constants.Z_SYNC_FLUSH, resolve));
      marks.push(pieces.length);
    }
    const joined = events.map((_, number) => Buffer.concat(pieces.slice(marks[number - 1] ?? 0, marks[number])));
    expect(await inflate('gzip', joined)).toEqual({ text: 'onetwothree', failures: 0, stamps: [0, 1, 2] });
  });

  it('that is cut in the middle gives what can be read, and is no failure', async () => {
    const encoded = gzipSync('x'.repeat(5_000) + Math.random());
    expect((await inflate('gzip', [encoded.subarray(0, encoded.length - 12)])).failures).toBe(0);
  });

  it('that is no such thing fails once, and still ends', async () => {
    expect(await inflate('gzip', [Buffer.from('plain text'), Buffer.from('more')])).toMatchObject({
      text: '',
      failures: 1,
    });
  });

  it('that would become a thousand times its size is given up', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const { text, failures } = await inflate('gzip', [bomb]);
    expect(failures).toBe(1);
    expect(text.length).toBeLessThan(20_000_000);
  });

  it('in an encoding nobody here knows is not read', () => {
    expect(openInflater('zstd', { plain() {}, failed() {} })).toBeNull();
  });
});
