import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunkFrame, chunkHead } from '../../../src/gateway/chunk-frame.ts';
import { LAST_CHUNK, readMessage } from '../../helpers/http-bytes.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

test('whatever is framed comes out of its frames as the same bytes', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 5_000 })), (parts) => {
      const frames = parts.map((part) => chunkFrame(Buffer.from(part)));
      const wire = Buffer.concat([Buffer.from(HEAD), ...frames, Buffer.from(LAST_CHUNK)]);
      expect(readMessage(wire)?.body.equals(Buffer.concat(parts))).toBe(true);
    }),
  );
});

test('a frame written in parts is the same frame', () => {
  const bytes = Buffer.alloc(70_000, 'x');
  expect(
    Buffer.concat([Buffer.from(chunkHead(bytes.length)), bytes, Buffer.from('\r\n')]).equals(chunkFrame(bytes)),
  ).toBe(true);
});
