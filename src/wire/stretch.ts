import { asBuffer } from './framing/byte-store.ts';

/** Bytes that are read where they stand, from `from` to `to`: only during the call that hands them over. */
export interface Stretch {
  readonly bytes: Buffer;
  /** The same bytes: four of them are compared at once. */
  readonly view: DataView;
  readonly from: number;
  readonly to: number;
}

/** All of them. */
export function stretchOf(bytes: Uint8Array): Stretch {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { bytes: asBuffer(bytes), view, from: 0, to: bytes.length };
}
