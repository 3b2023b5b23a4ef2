import { crc32 } from '../../src/wire/framing/crc32.ts';

const STRING = 7;

/** A frame of AWS's binary event stream. All headers are strings. */
export function frame(headers: Record<string, string>, payload: string): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(payload);
  const bytes = Buffer.alloc(16 + head.length + body.length);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(head.length, 4);
  bytes.writeUInt32BE(crc32(bytes, 0, 8), 8);
  head.copy(bytes, 12);
  body.copy(bytes, 12 + head.length);
  bytes.writeUInt32BE(crc32(bytes, 0, bytes.length - 4), bytes.length - 4);
  return bytes;
}

/** A frame that carries a message, as Bedrock sends it. */
export const messageFrame = (eventType: string, message: unknown): Buffer =>
  frame(
    { ':event-type': eventType, ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify(message),
  );

/** A frame of `invoke`, which wraps the vendor's message. */
export const vendorFrame = (message: unknown): Buffer =>
  messageFrame('chunk', { bytes: Buffer.from(JSON.stringify(message)).toString('base64'), p: 'abcdef' });

export const exceptionFrame = (type: string, message = 'x'): Buffer =>
  frame(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    JSON.stringify({ message }),
  );

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([STRING]),
    length,
    Buffer.from(value),
  ]);
}
