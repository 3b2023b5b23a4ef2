import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw, type ZlibOptions } from 'node:zlib';

/** The text of a beginning of an encoded answer; rejects where its bytes are broken, or its text is longer. */
export type ReadBeginning = (bytes: Uint8Array, maxTextBytes: number) => Promise<Uint8Array>;

type Decode = (bytes: Uint8Array, options: ZlibOptions) => Promise<Uint8Array>;

/** A beginning need not be a whole: that it is cut is no fault. */
const beginning =
  (decode: Decode, finishFlush: number): ReadBeginning =>
  (bytes, maxOutputLength) =>
    decode(bytes, { finishFlush, maxOutputLength });

export const readGzip = beginning(promisify(gunzip), constants.Z_SYNC_FLUSH);
export const readZlib = beginning(promisify(inflate), constants.Z_SYNC_FLUSH);
export const readDeflate = beginning(promisify(inflateRaw), constants.Z_SYNC_FLUSH);
export const readBrotli = beginning(promisify(brotliDecompress), constants.BROTLI_OPERATION_FLUSH);

/**
 * The text of the longest beginning that is sound; empty where none is longer than `soundBytes`. A decoder gives
 * nothing of a piece in which it meets a fault, not even what stands before the fault, so its place is searched for
 * by halves: some 16 tries, on zlib's own threads.
 */
export async function readablePart(
  read: ReadBeginning,
  bytes: Uint8Array,
  { soundBytes, maxTextBytes }: { soundBytes: number; maxTextBytes: number },
): Promise<Uint8Array> {
  let text: Uint8Array = new Uint8Array();
  let sound = soundBytes;
  let broken = bytes.length + 1;
  while (broken - sound > 1) {
    const middle = (sound + broken) >> 1;
    const found = await read(bytes.subarray(0, middle), maxTextBytes).catch(() => null);
    if (found === null) broken = middle;
    else {
      sound = middle;
      text = found;
    }
  }
  return text;
}
