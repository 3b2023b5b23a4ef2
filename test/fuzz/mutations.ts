import fc from 'fast-check';

/** One change to a text: where, in millionths of its length, and what. Small and readable, so that failures are, too. */
export type Edit =
  | { readonly kind: 'put'; readonly at: number; readonly bytes: string }
  | { readonly kind: 'overwrite'; readonly at: number; readonly bytes: string }
  | { readonly kind: 'cut'; readonly at: number; readonly length: number }
  | { readonly kind: 'twice'; readonly at: number; readonly length: number }
  | { readonly kind: 'swap'; readonly at: number; readonly to: number; readonly length: number }
  | { readonly kind: 'flip'; readonly at: number; readonly bit: number }
  | { readonly kind: 'end'; readonly at: number };

const PLACES = 1_000_000;
const place = fc.oneof(
  fc.nat(PLACES),
  // Heads and tails are where formats decide.
  fc.nat(PLACES / 100),
  fc.integer({ min: (PLACES * 99) / 100, max: PLACES }),
);
const length = fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 400 }));

/** `bytes` are written as latin1: what of interest may be put in beside noise. */
export function edits(interesting: readonly string[], maxLength = 6): fc.Arbitrary<Edit[]> {
  const noise = fc.uint8Array({ minLength: 1, maxLength: 6 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
  const bytes = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...interesting) }, noise);
  const edit: fc.Arbitrary<Edit> = fc.oneof(
    fc.record({ kind: fc.constant('put' as const), at: place, bytes }),
    fc.record({ kind: fc.constant('overwrite' as const), at: place, bytes }),
    fc.record({ kind: fc.constant('cut' as const), at: place, length }),
    fc.record({ kind: fc.constant('twice' as const), at: place, length }),
    fc.record({ kind: fc.constant('swap' as const), at: place, to: place, length }),
    fc.record({ kind: fc.constant('flip' as const), at: place, bit: fc.nat(7) }),
    fc.record({ kind: fc.constant('end' as const), at: place }),
  );
  return fc.array(edit, { maxLength });
}

export function mutated(original: Uint8Array, changes: readonly Edit[]): Buffer {
  let bytes: Buffer = Buffer.from(original);
  for (const change of changes) bytes = changed(bytes, change);
  return bytes;
}

function changed(bytes: Buffer, edit: Edit): Buffer {
  const at = placeIn(bytes, edit.at);
  const before = bytes.subarray(0, at);
  switch (edit.kind) {
    case 'put':
      return Buffer.concat([before, Buffer.from(edit.bytes, 'latin1'), bytes.subarray(at)]);
    case 'overwrite':
      return Buffer.concat([before, Buffer.from(edit.bytes, 'latin1'), bytes.subarray(at + edit.bytes.length)]);
    case 'cut':
      return Buffer.concat([before, bytes.subarray(at + edit.length)]);
    case 'twice':
      return Buffer.concat([bytes.subarray(0, at + edit.length), bytes.subarray(at)]);
    case 'swap': {
      const to = placeIn(bytes, edit.to);
      const copy = Buffer.from(bytes);
      copy.set(bytes.subarray(at, at + edit.length).subarray(0, bytes.length - to), to);
      return copy;
    }
    case 'flip': {
      const copy = Buffer.from(bytes);
      if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ (1 << edit.bit);
      return copy;
    }
    case 'end':
      return before;
    default:
      return edit satisfies never;
  }
}

function placeIn(bytes: Buffer, millionths: number): number {
  return Math.round((millionths * bytes.length) / PLACES);
}
