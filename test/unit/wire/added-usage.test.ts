import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddedUsageRemover } from '../../../src/wire/added-usage.ts';
import { byteByByte, cutAt, cutPlaces, mutations } from '../../helpers/cuts.ts';

const USAGE = '{"id":"a","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}';

/** What comes out of a stream that went in in these pieces. */
function relayed(pieces: Iterable<Uint8Array>): { text: string; removed: number } {
  const remover = new AddedUsageRemover();
  const out: Buffer[] = [];
  for (const piece of pieces) out.push(remover.push(piece));
  out.push(remover.end());
  return { text: Buffer.concat(out).toString('latin1'), removed: remover.removed };
}

const whole = (text: string): string => relayed([Buffer.from(text, 'latin1')]).text;
const dripped = (text: string): string => relayed(byteByByte(Buffer.from(text, 'latin1'))).text;

const KEPT_DATA = [
  '{"choices":[{"index":0,"delta":{"content":"[] \\"usage\\":{}"}}],"usage":null}',
  '{"choices":[{"index":0,"delta":{}}],"usage":{"prompt_tokens":7}}',
  '{"choices":[],"prompt_filter_results":[{}]}',
  '{"choices":[],"usage":null}',
  '{"choices":[],"usage":{},"prompt_filter_results":[{}]}',
  '{"choices":[],"usage":{"prompt_tokens":7},"error":{"message":"no"}}',
  '{"object":"chat.completion.chunk","choices":null,"usage" : null}',
  '{"object":"chat.completion.chunk","choices":{},"usage":{"prompt_tokens":7}}',
  '{"object":"chat.completion.chunk","choices":[{"delta":{"content":"\\u00e9"}}],"usage": null}',
  '{"object":"response","usage":{"prompt_tokens":7}}',
  '{"type":"message_delta","usage":{"output_tokens":7}}',
  '{"a":{"choices":[],"usage":{"b":1}}}',
  '{"choices":[],"usage":{"b":1}',
  '{"choices":[],"usage":5}',
  '[{"choices":[],"usage":{"b":1}}]',
  '{"error":{"message":"no"}}',
  '[DONE]',
  '"usage"',
  'choices [] usage {}',
  '',
];
const ADDED_DATA = [
  USAGE,
  '{"usage":{"a":{"choices":[1]}},"choices":[ ]}',
  '{"choices":null,"usage":{"prompt_tokens":7}}',
  '{"usage":{"prompt_tokens":7}}',
  '{"object":"chat.completion.chunk","usage" : {"prompt_tokens":7}}',
  '{"object":"text_completion","usage":{"prompt_tokens":7},"error":null,"prompt_filter_results":[]}',
  '{ "x" : "}\\\\\\"" , "choices" : [\t] , "us\\u0061ge" : {} , "metrics" : [[1],{}] }',
];

interface Piece {
  text: string;
  isAdded: boolean;
}
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
const event = fc
  .tuple(fc.oneof(fc.constantFrom(...KEPT_DATA), fc.constantFrom(...ADDED_DATA)), fc.constantFrom(' ', ''), lineEnd)
  .chain(([data, space, end]) =>
    fc.constantFrom('', `event: x${end}`, `id: 1${end}`, `odd: 1${end}`).map(
      (field): Piece => ({
        text: `${field}data:${space}${data}${end}${end}`,
        isAdded: ADDED_DATA.includes(data) && !field.startsWith('odd'),
      }),
    ),
  );
const comment = lineEnd.map((end): Piece => ({ text: `: ping${end}${end}`, isAdded: false }));
const stream = fc.array(fc.oneof({ weight: 4, arbitrary: event }, comment), { maxLength: 8 });

describe('the added usage chunk', () => {
  it('alone is taken out, however the stream is cut', () => {
    fc.assert(
      fc.property(stream, cutPlaces, (pieces, places) => {
        const bytes = Buffer.from(pieces.map(({ text }) => text).join(''));
        const kept = pieces.filter(({ isAdded }) => !isAdded).map(({ text }) => text);
        const { text, removed } = relayed(cutAt(bytes, places));
        expect(text).toBe(kept.join(''));
        expect(removed).toBe(pieces.length - kept.length);
      }),
      { numRuns: 2000 },
    );
  });

  it('is all that is missing from what comes out, whatever goes in', () => {
    const text = `data: {"choices":[{"delta":{"content":"x"}}]}\n\n: c\n\ndata: ${USAGE}\n\ndata: [DONE]\n\n`;
    fc.assert(
      fc.property(fc.oneof(mutations(Buffer.from(text)), fc.uint8Array()), cutPlaces, (bytes, places) => {
        const once = relayed([bytes]);
        const cut = relayed(cutAt(bytes, places));
        expect(cut.text).toBe(once.text);
        if (once.removed === 0) expect(once.text).toBe(Buffer.from(bytes).toString('latin1'));
      }),
      { numRuns: 2000 },
    );
  });

  it('takes its comments not along: they stay, before it, in it and behind it', () => {
    const text = `: a\n\n: b\nevent: e\n: c\ndata: ${USAGE}\n: d\n\n: e\n\ndata: [DONE]\n\n`;
    const left = ': a\n\n: b\n: c\n: d\n: e\n\ndata: [DONE]\n\n';
    expect([whole(text), dripped(text)]).toEqual([left, left]);
  });

  it('may be spread over several data lines', () => {
    const text = 'data: {"choices":[],\r\ndata: "usage":{"total_tokens":1}}\r\n\r\ndata: x\r\n\r\n';
    expect([whole(text), dripped(text)]).toEqual(['data: x\r\n\r\n', 'data: x\r\n\r\n']);
  });

  it('may be the last thing said, without a blank line behind it', () => {
    expect(dripped(`data: ${USAGE}`)).toBe('');
    expect(dripped(`data: ${USAGE}\n`)).toBe('');
    expect(dripped('data: {"choices":[],"usa')).toBe('data: {"choices":[],"usa');
  });

  it('is decided at once: an ordinary chunk is not held past the first byte of its choices', () => {
    const text = 'data: {"id":"a","choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n';
    const decided = text.indexOf('[{') + 2;
    for (let cut = decided; cut < text.length; cut += 1) {
      expect(new AddedUsageRemover().push(Buffer.from(text.slice(0, cut))).length).toBe(cut);
    }
  });

  it('lets comments and the end marker through as they come', () => {
    for (const text of [': keep-al', 'data: [', 'data: {"usage":null', 'xyz', '\r', '\n']) {
      expect(new AddedUsageRemover().push(Buffer.from(text)).toString()).toBe(text);
    }
  });

  it('is waited for only so long: what stays undecided is passed on', () => {
    const remover = new AddedUsageRemover();
    const start = `data: {"id":"${'x'.repeat(20_000)}`;
    let out = 0;
    for (const byte of byteByByte(Buffer.from(start))) out += remover.push(byte).length;
    expect(start.length - out).toBeLessThan(1);
    const rest = '","choices":[],"usage":{}}\n\n';
    expect(remover.push(Buffer.from(`${rest}data: ${USAGE}\n\n`)).toString()).toBe(rest);
  });

  it('costs other reads no copy', () => {
    const read = Buffer.from('data: {"choices":[{"delta":{}}]}\n\ndata: [DONE]\n\n');
    expect(new AddedUsageRemover().push(read)).toBe(read);
  });
});
