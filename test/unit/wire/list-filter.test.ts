import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ListFilter } from '../../../src/wire/framing/list-filter.ts';
import { byteByByte, cutAt, cutPlaces, mutations } from '../../helpers/cuts.ts';

function filtered(pieces: readonly Uint8Array[]): string {
  const kept: Buffer[] = [];
  const filter = new ListFilter('data', (bytes) => void kept.push(Buffer.from(bytes)));
  for (const piece of pieces) filter.push(piece);
  return Buffer.concat(kept).toString();
}

const filteredText = (text: string): string => filtered([Buffer.from(text)]);

describe('a list that is not held', () => {
  it.each([
    ['{"data":[1,2],"usage":{"a":1}}', '{"data":[],"usage":{"a":1}}'],
    ['{"model":"m", "data" : [ {"e":[0.1,-2e-3]}, "]" ] }', '{"model":"m", "data" : [] }'],
    ['{"data":[]}', '{"data":[]}'],
    ['{"data":[[[]],{"data":[1]}]}', '{"data":[]}'],
    ['{"data":{"data":[1]},"x":{"data":[2]}}', '{"data":{"data":[1]},"x":{"data":[2]}}'],
    ['{"other":[1,2],"datas":[3],"dat":[4]}', '{"other":[1,2],"datas":[3],"dat":[4]}'],
    ['{"x":"data","y":[1]}', '{"x":"data","y":[1]}'],
    ['{"data":"[1,2]","data":[3]}', '{"data":"[1,2]","data":[]}'],
    ['{"a\\"":1,"data":["\\"]"],"b":2}', '{"a\\"":1,"data":[],"b":2}'],
    ['', ''],
  ])('%s is left as %s, whatever the cut', (text, expected) => {
    expect(filteredText(text)).toBe(expected);
    expect(filtered(byteByByte(Buffer.from(text)))).toBe(expected);
  });

  it('of any JSON leaves everything else as it was', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.array(fc.jsonValue()),
        cutPlaces,
        (rest, data, places) => {
          const { data: _, ...others } = rest;
          const bytes = Buffer.from(JSON.stringify({ ...others, data, last: 1 }));
          const expected = JSON.parse(JSON.stringify({ ...others, data: [], last: 1 }));
          expect(JSON.parse(filtered(cutAt(bytes, places)))).toEqual(expected);
        },
      ),
    );
  });

  it('of nearly right bytes leaves the same, whatever the cut', () => {
    const bytes = Buffer.from('{"data":[{"a":"b\\""},[1]],"usage":{"data":[2]},"x":"🌍"}');
    fc.assert(
      fc.property(mutations(bytes), cutPlaces, (mutated, places) => {
        expect(filtered(cutAt(mutated, places))).toBe(filtered([mutated]));
      }),
    );
  });
});
