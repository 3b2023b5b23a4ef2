import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonArrayFramer } from '../../../src/wire/framing/json-array.ts';
import { byteByByte, cutAt, cutPlaces, mutations } from '../../helpers/cuts.ts';

interface Read {
  elements: string[];
  tooLarge: number;
  closed: boolean;
}

function read(pieces: readonly Uint8Array[], eventBytes = 10_000): Read {
  const result: Read = { elements: [], tooLarge: 0, closed: false };
  const handler = {
    onElement: (text: string) => void result.elements.push(text),
    onTooLarge: () => {
      result.tooLarge += 1;
    },
  };
  const framer = new JsonArrayFramer(handler, eventBytes);
  for (const piece of pieces) framer.push(piece);
  framer.end();
  return { ...result, closed: framer.closed };
}

const readText = (text: string, eventBytes?: number): Read => read([Buffer.from(text)], eventBytes);

describe('a streamed list', () => {
  it('gives each element as soon as it is whole', () => {
    const elements: string[] = [];
    const framer = new JsonArrayFramer({ onElement: (text) => void elements.push(text), onTooLarge: () => {} }, 100);
    framer.push(Buffer.from('[{"a":1}'));
    expect(elements).toEqual(['{"a":1}']);
    framer.push(Buffer.from('\n,\r\n{"a":{"b":[2]}'));
    expect(elements).toHaveLength(1);
    framer.push(Buffer.from('}'));
    expect(elements).toEqual(['{"a":1}', '{"a":{"b":[2]}}']);
    expect(framer.closed).toBe(false);
    framer.push(Buffer.from('\n]\n'));
    expect(framer.closed).toBe(true);
  });

  it('takes brackets, quotes and backslashes in texts for text', () => {
    const texts = ['}', '{', ']', '["', '\\', '\\\\"', '"}', '\\'.repeat(200), `${'x'.repeat(100)}\\`, '🌍}', '\n'];
    const elements = texts.map((text) => JSON.stringify({ text, list: [[text]] }));
    const bytes = Buffer.from(`[${elements.join(' , ')}]`);
    expect(read([bytes])).toEqual({ elements, tooLarge: 0, closed: true });
    expect(read(byteByByte(bytes))).toEqual({ elements, tooLarge: 0, closed: true });
  });

  it('of any JSON objects gives those objects, whatever the cut', () => {
    const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 5 });
    fc.assert(
      fc.property(objects, fc.constantFrom(undefined, 2), cutPlaces, (values, indent, places) => {
        const bytes = Buffer.from(JSON.stringify(values, null, indent));
        const { elements, closed } = read(cutAt(bytes, places));
        expect(elements.map((text) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(values)));
        expect(closed).toBe(true);
      }),
    );
  });

  it('of nearly right bytes gives the same whatever the cut', () => {
    const bytes = Buffer.from('[{"a":"b\\"","c":[1,{"d":"\\\\"}]},\r\n{"e":"🌍"}]');
    fc.assert(
      fc.property(mutations(bytes), cutPlaces, (mutated, places) => {
        expect(read(cutAt(mutated, places), 12)).toEqual(read([mutated], 12));
      }),
    );
  });

  it('drops an element beyond the bound, says so once, and goes on', () => {
    const large = JSON.stringify({ data: 'x'.repeat(300), next: { more: ['x'] } });
    expect(readText(`[{"a":1},${large},{"b":2}]`, 100)).toEqual({
      elements: ['{"a":1}', '{"b":2}'],
      tooLarge: 1,
      closed: true,
    });
  });

  it('ends at its own bracket: what follows is nothing', () => {
    expect(readText('[{"a":1}]{"b":2}]')).toEqual({ elements: ['{"a":1}'], tooLarge: 0, closed: true });
  });

  it('that is cut has no half element', () => {
    expect(readText('[{"a":1},{"b":')).toEqual({ elements: ['{"a":1}'], tooLarge: 0, closed: false });
  });

  it('of a hundred thousand nested brackets is read once', () => {
    const deep = '['.repeat(100_000);
    expect(readText(`[${deep}`, 1000)).toEqual({ elements: [], tooLarge: 1, closed: false });
  });
});
