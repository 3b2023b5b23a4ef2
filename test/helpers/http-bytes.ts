/** An HTTP message as it stood on the wire, cut into its parts. Latin-1 throughout, so that every byte is one character. */
export interface WireMessage {
  startLine: string;
  /** Header lines as they were sent. */
  headerLines: string[];
  /** The body without its framing. */
  body: Buffer;
  /** Lines after the last chunk. */
  trailerLines: string[];
  /** Bytes of the whole message, framing included. */
  wireBytes: number;
}

/** How much of a message is known to be without a body (an answer to HEAD, 204, 304). */
export interface MessageContext {
  hasNoBody?: boolean;
  /** The body lasts until the connection ends, and it has ended. */
  isEnded?: boolean;
}

const LINE_END = '\r\n';

/** The first message in `bytes`; null while it is not complete. Throws on bad framing. */
export function readMessage(bytes: Buffer, context: MessageContext = {}): WireMessage | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const [startLine = '', ...headerLines] = bytes.toString('latin1', 0, headEnd).split(LINE_END);
  const bodyStart = headEnd + 4;
  const message = (body: Buffer, wireBytes: number, trailerLines: string[] = []): WireMessage => ({
    startLine,
    headerLines,
    body,
    trailerLines,
    wireBytes,
  });
  if (context.hasNoBody) return message(Buffer.alloc(0), bodyStart);
  if (/^chunked$/i.test(headerOf(headerLines, 'transfer-encoding') ?? '')) {
    const chunks = readChunks(bytes, bodyStart);
    return chunks === null ? null : message(chunks.body, chunks.end, chunks.trailerLines);
  }
  const length = headerOf(headerLines, 'content-length');
  if (length !== null) {
    const end = bodyStart + Number(length);
    return bytes.length < end ? null : message(bytes.subarray(bodyStart, end), end);
  }
  // A request without a length has no body, an answer without one lasts as long as its connection.
  if (!startLine.startsWith('HTTP/')) return message(Buffer.alloc(0), bodyStart);
  return context.isEnded ? message(bytes.subarray(bodyStart), bytes.length) : null;
}

export function headerOf(lines: readonly string[], name: string): string | null {
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (line.slice(0, colon).toLowerCase() === name) return line.slice(colon + 1).trim();
  }
  return null;
}

/** `data` as one chunk of a chunked body. */
export function chunk(data: string | Buffer): Buffer {
  const bytes = Buffer.from(data);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from(LINE_END)]);
}

export const LAST_CHUNK = '0\r\n\r\n';

function readChunks(bytes: Buffer, start: number): { body: Buffer; trailerLines: string[]; end: number } | null {
  const parts: Buffer[] = [];
  let at = start;
  for (;;) {
    const lineEnd = bytes.indexOf(LINE_END, at);
    if (lineEnd === -1) return null;
    const size = bytes.toString('latin1', at, lineEnd);
    if (!/^[0-9a-f]+$/i.test(size)) throw new Error(`bad chunk size ${JSON.stringify(size)}`);
    const length = Number.parseInt(size, 16);
    const dataStart = lineEnd + 2;
    if (length === 0) return readTrailers(bytes, dataStart, Buffer.concat(parts));
    const dataEnd = dataStart + length;
    if (bytes.length < dataEnd + 2) return null;
    if (bytes.toString('latin1', dataEnd, dataEnd + 2) !== LINE_END) throw new Error('chunk without its line end');
    parts.push(bytes.subarray(dataStart, dataEnd));
    at = dataEnd + 2;
  }
}

function readTrailers(bytes: Buffer, start: number, body: Buffer) {
  const trailerLines: string[] = [];
  let at = start;
  for (;;) {
    const lineEnd = bytes.indexOf(LINE_END, at);
    if (lineEnd === -1) return null;
    if (lineEnd === at) return { body, trailerLines, end: at + 2 };
    trailerLines.push(bytes.toString('latin1', at, lineEnd));
    at = lineEnd + 2;
  }
}
