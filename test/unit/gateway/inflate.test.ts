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
): Promise<{ text: string; failures: number; areBroken: boolean; stamps: number[] }> {
  return new Promise((resolve) => {
    let text = '';
    let failures = 0;
    let areBroken = false;
    const stamps: number[] = [];
    const decoder = openInflater(encoding, {
      plain(bytes, atMs) {
        text += Buffer.from(bytes).toString('latin1');
        stamps.push(atMs);
      },
      failed(isBroken) {
        failures += 1;
        areBroken = isBroken;
      },
    });
    pieces.forEach((piece, number) => {
      decoder?.push(piece, number);
    });
    decoder?.end(() => resolve({ text, failures, areBroken, stamps }));
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
    expect(await inflate('gzip', joined)).toMatchObject({ text: 'onetwothree', failures: 0, stamps: [0, 1, 2] });
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

  const flushed = (...events: string[]): Buffer => {
    const whole = gzipSync(events.join(''));
    return whole.subarray(0, whole.length - 8);
  };
  it.each([
    ['in one piece with it', (good: Buffer, bad: Buffer) => [Buffer.concat([good, bad])]],
    ['in two pieces', (good: Buffer, bad: Buffer) => [good, bad]],
    [
      'in small pieces',
      (good: Buffer, bad: Buffer) => Array.from(Buffer.concat([good, bad]), (byte) => Buffer.of(byte)),
    ],
  ])('that breaks is read up to the fault, %s', async (_how, cut) => {
    const text = Array.from({ length: 40 }, (_, number) => `data: event ${number}\n\n`);
    expect(await inflate('gzip', cut(flushed(...text), Buffer.alloc(100, 0xff)))).toMatchObject({
      text: text.join(''),
      failures: 1,
      areBroken: true,
    });
  });

  it('that is long and breaks is read as far as its pieces were sound', async () => {
    const text = Buffer.from(
      Array.from({ length: 200_000 }, () => String.fromCharCode(97 + Math.random() * 26)).join(''),
    );
    const whole = gzipSync(text);
    whole.fill(0xff, whole.length - 8);
    const read = await inflate('gzip', [whole.subarray(0, 100_000), whole.subarray(100_000)]);
    expect([read.text.length > 50_000, text.toString('latin1').startsWith(read.text)]).toEqual([true, true]);
    expect([read.failures, read.areBroken]).toEqual([1, true]);
  });

  it('that would become a thousand times its size is given up', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const { text, failures, areBroken } = await inflate('gzip', [bomb]);
    expect([failures, areBroken]).toEqual([1, false]);
    expect(text.length).toBeLessThan(20_000_000);
  });

  it('in an encoding nobody here knows is not read', () => {
    expect(openInflater('zstd', { plain() {}, failed() {} })).toBeNull();
  });
});
