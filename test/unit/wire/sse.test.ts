import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseFramer } from '../../../src/wire/framing/sse.ts';
import { byteByByte, cutAt, cutPlaces } from '../../helpers/cuts.ts';

type Event = [name: string, data: string];
const TOO_LARGE: Event = ['', '(too large)'];

function frame(pieces: readonly Uint8Array[], eventBytes = 1 << 20): Event[] {
  const events: Event[] = [];
  const handler = {
    onEvent: (event: string, data: string) => events.push([event, data]),
    onTooLarge: () => events.push(TOO_LARGE),
  };
  const framer = new SseFramer(handler, eventBytes);
  for (const piece of pieces) framer.push(piece);
  framer.end();
  return events;
}

const frameText = (...pieces: string[]): Event[] => frame(pieces.map((piece) => Buffer.from(piece)));

/** What the standard's own reference client library makes of a whole stream. */
function frameByOracle(stream: string): Event[] {
  const events: Event[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => events.push([event ?? '', data]) });
  parser.feed(new TextDecoder().decode(Buffer.from(stream)));
  return events;
}

const word = fc.string({ unit: fc.constantFrom('a', '{', '"', ' ', ':', '🌍', 'é', '\\n'), maxLength: 6 });
const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.constantFrom('data:', 'data: ', 'data:  '), word).map((parts) => parts.join('')),
  },
  fc.constantFrom(
    'data',
    'event',
    ':',
    ': keep-alive',
    'id: 7',
    'retry: 3000',
    'unknown: 1',
    'dat',
    'datax: 1',
    'eventual',
  ),
  word.map((name) => `event: ${name}`),
  { weight: 4, arbitrary: fc.constant('') },
);
/** Whole streams: any lines, each with any of the three line ends. The last comment keeps a lone CR from ending the text. */
const stream = fc
  .tuple(fc.boolean(), fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 30 }))
  .map(([mark, lines]) => `${mark ? '\uFEFF' : ''}${lines.map((parts) => parts.join('')).join('')}\n\n:\n`);

describe('an event stream', () => {
  it('is framed as the standard client library frames it, however it is cut', () => {
    fc.assert(
      fc.property(stream, cutPlaces, (text, places) => {
        expect(frame(cutAt(Buffer.from(text), places))).toEqual(frameByOracle(text));
      }),
      { numRuns: 500 },
    );
  });

  it('gives the same events for any cut of any bytes, also at the bound', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 120 }),
      stream.map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(bytes, cutPlaces, fc.integer({ min: 0, max: 40 }), (junk, places, eventBytes) => {
        const whole = frame([junk], eventBytes);
        expect(frame(cutAt(junk, places), eventBytes)).toEqual(whole);
        expect(frame(byteByByte(junk), eventBytes)).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['a lone CR', '\r'],
  ])('may end its lines with %s (B44)', (_name, end) => {
    expect(frameText(`event: x${end}data: 1${end}${end}data:2${end}${end}`)).toEqual([
      ['x', '1'],
      ['', '2'],
    ]);
  });

  it('takes CR and LF of two reads as one line end (B43)', () => {
    expect(frameText('data: {"a":\r', '\ndata: 1}\r', '\n\r', '\n')).toEqual([['', '{"a":\n1}']]);
  });

  it('delivers at a lone CR without waiting for what follows', () => {
    const seen: string[] = [];
    const framer = new SseFramer({ onEvent: (_event, data) => seen.push(data), onTooLarge: () => {} }, 100);
    framer.push(Buffer.from('data: 1\r\r'));
    expect(seen).toEqual(['1']);
  });

  it('joins several data lines by LF (B45)', () => {
    expect(frameText('data: {\ndata: "a"\ndata: : 1\ndata:\ndata: }\n\n')).toEqual([['', '{\n"a"\n: 1\n\n}']]);
  });

  it('keeps a UTF-8 sequence whole that is split over reads (B42)', () => {
    expect(frame(byteByByte(Buffer.from('data: 🌍é\n\n')))).toEqual([['', '🌍é']]);
  });

  it('gives both events of one read (B47)', () => {
    expect(frameText('data: 1\n\ndata: 2\n\n')).toHaveLength(2);
  });

  it('makes no event of comments and blank lines (B39)', () => {
    expect(frameText(': OPENROUTER PROCESSING\n\n'.repeat(3), '\n\n:\n\nevent: ping\n\n')).toEqual([]);
  });

  it('drops a byte order mark before the first line only', () => {
    expect(frameText('\uFEFFdata: 1\n\n\uFEFFdata: 2\n\n')).toEqual([['', '1']]);
  });

  it('delivers an unfinished last event at its end', () => {
    expect(frameText('data: 1\n\nevent: x\ndata: [DONE]')).toEqual([
      ['', '1'],
      ['x', '[DONE]'],
    ]);
  });

  it('takes the field `error` for an event of that name (B50)', () => {
    expect(frameText('error: {"code":400}\n\ndata: [DONE]\n\n')).toEqual([
      ['error', '{"code":400}'],
      ['', '[DONE]'],
    ]);
  });
});

describe('an event beyond the bound', () => {
  it('is given up once, and framing goes on after the next blank line', () => {
    const long = `data: ${'x'.repeat(200)}\n`;
    for (const large of [long, long + long, `data: ${'x'.repeat(40)}\n`.repeat(9), `:${'x'.repeat(200)}\ndata: y\n`]) {
      const text = `data: 1\n\n${large}\ndata: 2\n\n`;
      expect(frame(byteByByte(Buffer.from(text)), 100)).toEqual([['', '1'], TOO_LARGE, ['', '2']]);
    }
  });

  it('may be one of several', () => {
    const large = `data: ${'x'.repeat(200)}\n\n`;
    expect(frame([Buffer.from(large + large)], 100)).toEqual([TOO_LARGE, TOO_LARGE]);
  });

  it('is not joined by what comes before it: an event of exactly the bound is whole', () => {
    expect(frame([Buffer.from(`${'data: 1234\n\n'.repeat(50)}`)], 10)).toHaveLength(50);
    expect(frame([Buffer.from('data: 12345\n\n')], 10)).toEqual([TOO_LARGE]);
  });

  it('is not held: 64 MB in one line cost less than 1 MB', () => {
    const piece = Buffer.alloc(64 * 1024, 'x');
    const framer = new SseFramer({ onEvent: () => {}, onTooLarge: () => {} }, 256 * 1024);
    framer.push(Buffer.from('data: '));
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    for (let i = 0; i < 1024; i += 1) {
      framer.push(piece);
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    expect(most).toBeLessThan(1024 * 1024);
  });
});

describe('a long line within the bound', () => {
  it('is whole when it comes in a million one-byte reads', () => {
    const byte = Buffer.from('x');
    const lengths: number[] = [];
    const framer = new SseFramer(
      { onEvent: (_event, data) => lengths.push(data.length), onTooLarge: () => {} },
      4 << 20,
    );
    framer.push(Buffer.from('data:'));
    for (let i = 0; i < 1_000_000; i += 1) framer.push(byte);
    framer.push(Buffer.from('\n\n'));
    expect(lengths).toEqual([1_000_000]);
  });
});
