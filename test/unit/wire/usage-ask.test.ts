import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spliceUsageAsk } from '../../../src/wire/usage-ask.ts';
import { mutations } from '../../helpers/cuts.ts';

const QUESTION = ',"stream_options":{"include_usage":true}';

const splice = (body: string | Buffer): string | null => spliceUsageAsk(Buffer.from(body))?.toString('latin1') ?? null;

/** What JSON.parse makes of it; undefined for what it refuses. */
function parsed(body: Uint8Array): Record<string, unknown> | undefined {
  try {
    const text = Buffer.from(body).toString('utf8');
    const value: unknown = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The truth: what a server that reads the body would say of it. */
function mayBeAsked(body: Uint8Array): boolean {
  const value = parsed(body);
  return (
    value?.['stream'] === true && !Object.hasOwn(value, 'stream_options') && !Object.hasOwn(value, 'include_usage')
  );
}

const key = fc.oneof(
  fc.constantFrom('"stream"', '"str\\u0065am"', '"model"', '"messages"', '"stream_options"', '"include_usage"'),
  fc.constantFrom('"stream\\u005foptions"', '"\\u0069\\u006e\\u0063lude_usage"', '"__proto__"'),
  fc.string().map((text) => JSON.stringify(text)),
);
const value = fc.oneof(
  fc.constantFrom('true', 'true', 'false', 'null', '12345678901234567890', '1e400', '-0.0', '"}"', '{"stream":false}'),
  fc.json(),
  fc.string().map((text) => JSON.stringify(text)),
);
const blank = fc.constantFrom('', ' ', '\n  ', '\t', '\r\n');
/** Bodies as senders write them: mostly with `stream`, with duplicates, escapes and blanks anywhere. */
const body = fc
  .tuple(fc.array(fc.tuple(key, value), { maxLength: 6 }), fc.option(fc.nat(6)), blank, fc.boolean())
  .map(([members, streamAt, space, hasMark]) => {
    const all = [...members];
    if (streamAt !== null) all.splice(streamAt, 0, ['"stream"', 'true']);
    const inner = all.map(([name, member]) => `${space}${name}${space}:${space}${member}${space}`).join(',');
    return Buffer.from(`${hasMark ? '\uFEFF' : ''}${space}{${inner}}${space}`);
  });

describe('splicing the question for usage into a request', () => {
  it('asks exactly the bodies that leave it open, and changes nothing else', () => {
    fc.assert(
      fc.property(body, (bytes) => {
        const spliced = spliceUsageAsk(bytes);
        expect(spliced !== null).toBe(mayBeAsked(bytes));
        if (spliced === null) return;
        const place = spliced.lastIndexOf(QUESTION);
        expect(Buffer.concat([spliced.subarray(0, place), spliced.subarray(place + QUESTION.length)])).toEqual(bytes);
        expect(parsed(spliced)).toEqual({ ...parsed(bytes), stream_options: { include_usage: true } });
      }),
      { numRuns: 2000 },
    );
  });

  it('never throws and never asks wrongly, whatever the bytes', () => {
    const request = Buffer.from('{"model":"m","messages":[{"content":"a}\\"{"}],"n":1,"stream":true}');
    const junk = fc.oneof(fc.uint8Array(), mutations(request), fc.json().map(Buffer.from));
    fc.assert(
      fc.property(junk, (bytes) => {
        const spliced = spliceUsageAsk(bytes);
        if (spliced !== null) expect(mayBeAsked(bytes)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('stands before the closing brace, before any white space behind it', () => {
    expect(splice('{"stream":true}')).toBe(`{"stream":true${QUESTION}}`);
    expect(splice('{ "stream" : true }\r\n\r\n')).toBe(`{ "stream" : true ${QUESTION}}\r\n\r\n`);
    expect(splice('{"a":{"stream":false},"stream":true}')).toBe(`{"a":{"stream":false},"stream":true${QUESTION}}`);
  });

  it('keeps big integers, escapes and a byte order mark as they were written', () => {
    const body = '{"seed":12345678901234567890,"x":1.0,"str\\u0065am":true,"e":"\\u00e9\\/"}';
    expect(splice(body)).toBe(`${body.slice(0, -1)}${QUESTION}}`);
    expect(spliceUsageAsk(Buffer.from('\uFEFF{"stream":true}'))?.subarray(0, 4)).toEqual(Buffer.from('\uFEFF{'));
  });

  it('keeps bytes in texts that are no UTF-8', () => {
    const body = Buffer.from('{"x":"\xff\xfe\xc3","stream":true}', 'latin1');
    expect(splice(body)).toBe(`${body.toString('latin1').slice(0, -1)}${QUESTION}}`);
  });

  it('lets the last of duplicate keys decide', () => {
    expect(splice('{"stream":false,"stream":true}')).not.toBeNull();
    expect(splice('{"stream":true,"stream":false}')).toBeNull();
  });

  it.each([
    ['an explicit false (FAULTS B02)', '{"stream":true,"stream_options":{"include_usage":false}}'],
    ['an explicit null', '{"stream":true,"stream_options":null}'],
    ['an empty stream_options', '{"stream_options":{},"stream":true}'],
    ['its own question', '{"stream":true,"stream_options":{"include_usage":true}}'],
    ['include_usage at the top', '{"include_usage":false,"stream":true}'],
    ['an escaped key', '{"stream":true,"stream_\\u006fptions":null}'],
    ['no stream', '{"model":"m"}'],
    ['a stream that is no boolean', '{"stream":"true"}'],
    ['a stream of 1', '{"stream":1}'],
    ['a stream further in', '{"a":{"stream":true}}'],
    ['nothing', ''],
    ['an empty object', '{}'],
    ['a list', '[{"stream":true}]'],
    ['something behind the object', '{"stream":true}}'],
    ['two objects', '{"stream":true}{"stream":true}'],
    ['a comma too many', '{"stream":true,}'],
    ['a number only Python knows', '{"stream":true,"t":NaN}'],
    ['a comment', '{"stream":true/* } */}'],
    ['an unclosed list', '{"a":[1,"stream":true}'],
    ['a cut end', '{"stream":true,"x":"'],
    ['compressed bytes', '\x1f\x8b\x08\0{"stream":true}'],
  ])('leaves alone what has %s', (_what, text) => {
    expect(splice(text)).toBeNull();
  });

  /** Too large to be parsed on the relaying thread. */
  const large = (rest: string) => `{"prompt":"${'x'.repeat(300_000)}"${rest}`;

  it('asks with a large body, too, whose members and brackets are in order', () => {
    for (const rest of [',"stream":true}', ',"a":{"b":["}"]},"stream":true \n}\r\n']) {
      const body = large(rest);
      const brace = body.lastIndexOf('}');
      expect(splice(body)).toBe(`${body.slice(0, brace)}${QUESTION}${body.slice(brace)}`);
    }
  });

  it.each([
    ',"stream":true}}',
    ',"stream":true}{"stream":true}',
    ',"a":[1,"stream":true}',
    ',"stream":true,"x":"}',
    ',"stream":true/* } */}',
    ',"stream":true,"x":"}" "y"}',
    ',"stream":true,"stream_options":null}',
  ])('leaves a large body alone that goes on with %s', (rest) => {
    expect(splice(large(rest))).toBeNull();
  });

  it('survives any depth', () => {
    expect(splice(`{"stream":true,"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)).not.toBeNull();
  });
});
