import { describe, expect, it } from 'vitest';
import { JsonBody } from '../../../src/wire/framing/json.ts';
import { array, count, measure, object, parseObject, string } from '../../../src/wire/json.ts';

const ANYTHING = [
  undefined,
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '',
  'x',
  [],
  [1],
  {},
  () => 1,
];

describe('access to parsed JSON', () => {
  it('answers whatever stands there', () => {
    const accepted = (accept: (value: unknown) => unknown) => ANYTHING.filter((value) => accept(value) === value);
    expect(accepted(object)).toEqual([null, {}]);
    expect(accepted(array)).toEqual([[], [1]]);
    expect(accepted(string)).toEqual(['', 'x']);
    expect(accepted(count)).toEqual([null, 0]);
    expect(accepted(measure)).toEqual([null, 0, 1.5, 2 ** 53]);
  });

  it('takes only objects for messages, of any depth', () => {
    expect(['{"a":1}', '[]', '1', 'null', '{', ''].map(parseObject)).toEqual([{ a: 1 }, null, null, null, null, null]);
    expect(parseObject(`{"a":${'['.repeat(200_000)}`)).toBeNull();
  });
});

describe('a whole body', () => {
  it('is the text of its pieces', () => {
    const body = new JsonBody(100);
    for (const byte of Buffer.from('{"a":"é"}')) body.push(Uint8Array.of(byte));
    expect([body.end(), body.tooLarge]).toEqual(['{"a":"é"}', false]);
  });

  it('beyond the bound is dropped and says so', () => {
    const body = new JsonBody(8);
    for (let i = 0; i < 3; i += 1) body.push(Buffer.from('{"a"'));
    expect([body.end(), body.tooLarge]).toEqual(['', true]);
  });

  it.each([
    ['{"a":1}\n{"b":2}', true],
    ['{"a":1}\r\n\n{"b"', true],
    ['{"a":1}\n', false],
    ['{"a":[{"b":1},\n{"c":2}]}', false],
    ['{\n"a":\n{"b":1}\n}', false],
    ['{"a":"}\\n{"}', false],
  ])('knows whether a second object begins on a line of its own: %j', (text, expected) => {
    for (const pieces of [[Buffer.from(text)], Array.from(Buffer.from(text), (byte) => Uint8Array.of(byte))]) {
      const body = new JsonBody(100);
      const seen = pieces.map((piece) => {
        body.push(piece);
        return body.holdsLines;
      });
      expect(seen.includes(true)).toBe(expected);
    }
  });
});
