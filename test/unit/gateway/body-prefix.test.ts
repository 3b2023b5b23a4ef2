import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BodyPrefix } from '../../../src/gateway/body-prefix.ts';

const BODY = Buffer.from('\n { "messages": [{"content":"{\\"model\\":\\"no\\"}"}], "model": "m", "stream": true }');

function prefixOf(bytes: Buffer, cuts: readonly number[], limit = 1_000): BodyPrefix {
  const prefix = new BodyPrefix(limit);
  const places = [...new Set([0, ...cuts.map((cut) => cut % bytes.length), bytes.length])].sort((a, b) => a - b);
  for (const [index, from] of places.slice(0, -1).entries()) prefix.add(bytes.subarray(from, places[index + 1]));
  return prefix;
}

test('the same facts are read however the body is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), (cuts) => {
      expect(prefixOf(BODY, cuts).facts()).toMatchObject({ model: 'm', stream: true });
    }),
  );
});

test('looking only when the prefix has doubled finds the model in the end', () => {
  const prefix = new BodyPrefix(1_000);
  let looks = 0;
  let found: string | null = null;
  for (const byte of BODY) {
    prefix.add(Buffer.from([byte]));
    const facts = prefix.factsIfDoubled();
    if (facts !== null) looks += 1;
    found ??= facts?.model ?? null;
  }
  expect(looks).toBeLessThan(10);
  expect(found ?? prefix.facts()?.model).toBe('m');
});

test('no more than the limit is read, and it is full then', () => {
  const prefix = prefixOf(BODY, [], 20);
  expect(prefix.isFull).toBe(true);
  expect(prefix.facts()).toMatchObject({ model: null });
});

test.each(['[1]', 'model=m', '\x1f\x8b', '  "x"'])('what is no JSON object (%j) is hopeless at once', (body) => {
  const prefix = prefixOf(Buffer.from(body, 'latin1'), []);
  expect(prefix.isHopeless).toBe(true);
  expect(prefix.isFull).toBe(true);
  expect(prefix.facts()).toBeNull();
});

test('spaces alone decide nothing', () => {
  const prefix = prefixOf(Buffer.from('  \n'), []);
  expect(prefix.isHopeless).toBe(false);
  expect(prefix.facts()).toBeNull();
});
