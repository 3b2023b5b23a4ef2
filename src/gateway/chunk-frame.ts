/** Up to here copying a chunk into its frame is cheaper than writing the frame around it in parts. */
export const FRAME_UP_TO_BYTES = 16 * 1024;

const CR = 0x0d;
const LF = 0x0a;

/** A chunk of an HTTP/1.1 body as one buffer: its length in hex, CRLF, the bytes, CRLF (RFC 9112 §7.1). */
export function chunkFrame(bytes: Buffer): Buffer {
  const size = bytes.length.toString(16);
  const start = size.length + 2;
  const end = start + bytes.length;
  const frame = Buffer.allocUnsafe(end + 2);
  frame.write(size, 0, 'latin1');
  frame[start - 2] = CR;
  frame[start - 1] = LF;
  frame.set(bytes, start);
  frame[end] = CR;
  frame[end + 1] = LF;
  return frame;
}

/** What stands before the bytes of a chunk that is too large to be copied. */
export function chunkHead(length: number): string {
  return `${length.toString(16)}\r\n`;
}
