import fc from 'fast-check';

/** The bytes in pieces that end at the given places. */
export function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [...places].map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const place of [...sorted, bytes.length]) {
    pieces.push(bytes.subarray(from, place));
    from = place;
  }
  return pieces;
}

export function byteByByte(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
}

/** Places to cut at: few, so that pieces hold several events, or many, so that nothing stays whole. */
export const cutPlaces = fc.oneof(
  fc.array(fc.nat(), { maxLength: 4 }),
  fc.array(fc.nat(), { minLength: 20, maxLength: 60 }),
);

/** The bytes with some of them replaced: nearly right, which is worse than noise. */
export function mutations(bytes: Uint8Array): fc.Arbitrary<Uint8Array> {
  const change = fc.record({
    at: fc.nat(),
    byte: fc.oneof(fc.nat(255), fc.constantFrom(10, 13, 34, 58, 92, 123, 125)),
  });
  return fc.array(change, { minLength: 1, maxLength: 12 }).map((changes) => {
    const mutated = Uint8Array.from(bytes);
    for (const { at, byte } of changes) mutated[at % Math.max(1, mutated.length)] = byte;
    return mutated;
  });
}
