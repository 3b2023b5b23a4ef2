import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AwsFramer } from '../../../src/wire/framing/aws-event-stream.ts';
import { frameHeaders } from '../../../src/wire/framing/aws-headers.ts';
import { crc32 } from '../../../src/wire/framing/crc32.ts';
import { frame } from '../../helpers/aws-frames.ts';
import { byteByByte, cutAt, cutPlaces, mutations } from '../../helpers/cuts.ts';

const DAMAGED = '(damaged)';
const TOO_LARGE = '(too large)';

/** What is told of the bytes: payloads, each behind the name of its event. */
function unframe(pieces: readonly Uint8Array[], eventBytes = 1 << 20): string[] {
  const told: string[] = [];
  const framer = new AwsFramer(
    {
      onFrame: (headers, payload) => told.push(`${headers.get(':event-type') ?? ''}:${payload}`),
      onDamaged: () => told.push(DAMAGED),
      onTooLarge: () => told.push(TOO_LARGE),
    },
    eventBytes,
  );
  for (const piece of pieces) framer.push(piece);
  return told;
}

const event = (payload: string): Buffer => frame({ ':event-type': 'e', ':message-type': 'event' }, payload);
const STREAM = Buffer.concat([event('1'), event('🌍'), event(''), event('x'.repeat(300)), event('5')]);
const TOLD = ['e:1', 'e:🌍', 'e:', `e:${'x'.repeat(300)}`, 'e:5'];

describe('the checksum', () => {
  it('is the CRC-32 of its check value', () => {
    expect(crc32(Buffer.from('123456789'), 0, 9)).toBe(0xcbf43926);
    expect(crc32(Buffer.from('xx123456789xx'), 2, 11)).toBe(0xcbf43926);
    expect(crc32(Buffer.alloc(0), 0, 0)).toBe(0);
  });
});

describe('AWS frames', () => {
  it('are told in order, however the bytes are cut (B65)', () => {
    expect(unframe([STREAM])).toEqual(TOLD);
    expect(unframe(byteByByte(STREAM))).toEqual(TOLD);
    fc.assert(fc.property(cutPlaces, (places) => void expect(unframe(cutAt(STREAM, places))).toEqual(TOLD)));
  });

  it('give the same for any cut of damaged or any bytes, also at the bound', () => {
    const bytes = fc.oneof(mutations(STREAM), fc.uint8Array({ maxLength: 120 }));
    fc.assert(
      fc.property(bytes, cutPlaces, fc.integer({ min: 0, max: 400 }), (stream, places, eventBytes) => {
        const whole = unframe([stream], eventBytes);
        expect(unframe(cutAt(stream, places), eventBytes)).toEqual(whole);
        expect(unframe(byteByByte(stream), eventBytes)).toEqual(whole);
      }),
      { numRuns: 300 },
    );
  });

  it('are told at once when their last byte has come', () => {
    expect(unframe([STREAM.subarray(0, event('1').length)])).toEqual(['e:1']);
  });

  it('that are cut are not told: nothing vouches for them', () => {
    expect(unframe([STREAM.subarray(0, -1)])).toEqual(TOLD.slice(0, -1));
  });
});

describe('a damaged frame', () => {
  const damagedAt = (place: number): Buffer => {
    const bytes = Buffer.from(STREAM);
    bytes[place] = (bytes[place] ?? 0) ^ 0xff;
    return bytes;
  };
  const second = event('1').length;

  it('is passed over, whichever byte of it is wrong, and the next ones are told', () => {
    for (let place = 0; place < second; place += 1) {
      expect(unframe([damagedAt(place)])).toEqual([DAMAGED, ...TOLD.slice(1)]);
    }
  });

  it('is reported once, although the next sound one is far away', () => {
    const noise = Buffer.alloc(5000, 0x5a);
    expect(unframe([noise, STREAM])).toEqual([DAMAGED, ...TOLD]);
    expect(unframe([STREAM, noise, STREAM])).toEqual([...TOLD, DAMAGED, ...TOLD]);
  });

  it('may claim any length without being waited for', () => {
    const bytes = event('1');
    bytes.writeUInt32BE(0xffffffff, 0);
    expect(unframe([bytes, STREAM])).toEqual([DAMAGED, ...TOLD]);
  });
});

describe('a frame beyond the bound', () => {
  it('is passed over once, and the next one is told', () => {
    expect(unframe(byteByByte(STREAM), 200)).toEqual(['e:1', 'e:🌍', 'e:', TOO_LARGE, 'e:5']);
    expect(unframe([STREAM], 200)).toEqual(['e:1', 'e:🌍', 'e:', TOO_LARGE, 'e:5']);
  });

  it('is not held: 64 MB in one frame cost less than 1 MB', () => {
    const prelude = Buffer.alloc(12);
    prelude.writeUInt32BE(64 << 20, 0);
    prelude.writeUInt32BE(crc32(prelude, 0, 8), 8);
    const piece = Buffer.alloc(64 * 1024);
    const framer = new AwsFramer({ onFrame: () => {}, onDamaged: () => {}, onTooLarge: () => {} }, 256 * 1024);
    framer.push(prelude);
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    for (let i = 0; i < 1024; i += 1) {
      framer.push(piece);
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    expect(most).toBeLessThan(1024 * 1024);
  });
});

describe('a large frame within the bound', () => {
  it('is whole when it comes byte by byte', () => {
    const bytes = event('x'.repeat(1_000_000));
    const told = unframe(byteByByte(bytes), 4 << 20);
    expect([told.length, told[0]?.length]).toEqual([1, 1_000_002]);
  });
});

describe('headers', () => {
  /** One header of each type, by number: booleans, integers, bytes, a string, a timestamp, a UUID. */
  const values = [
    [],
    [],
    [1],
    [0, 1],
    [0, 0, 0, 1],
    Array(8).fill(0),
    [0, 2, 9, 9],
    [0, 1, 0x76],
    Array(8).fill(0),
    Array(16).fill(0),
  ];
  const all = Buffer.concat(values.map((value, type) => Buffer.from([1, 0x61 + type, type, ...value])));

  it('that are strings are read among those of every other type', () => {
    const last = Buffer.from([1, 0x7a, 7, 0, 1, 0x77]);
    const bytes = Buffer.concat([all, last]);
    expect(Object.fromEntries(frameHeaders(bytes, 0, bytes.length))).toEqual({ h: 'v', z: 'w' });
  });

  it('that are cut or of an unknown type end the reading, and throw nothing', () => {
    for (let to = 0; to <= all.length; to += 1) frameHeaders(all, 0, to);
    expect(frameHeaders(Buffer.from([1, 0x61, 99, 0, 0]), 0, 5).size).toBe(0);
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void frameHeaders(Buffer.from(bytes), 0, bytes.length)));
  });
});
