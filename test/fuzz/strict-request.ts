/** A request as a server reads it that forgives nothing. */
export interface StrictRequest {
  method: string;
  target: string;
  /** Names in lower case. */
  headers: readonly (readonly [name: string, value: string])[];
  /** Null while the body is not all there. */
  wireBytes: number | null;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const LINE_END = '\r\n';

/**
 * The request at the start of the bytes; null while its head is not whole. Throws on anything in which
 * two parsers could see different messages (RFC 9112 §11.2): bare line ends, NUL, folded lines, lengths
 * that are doubled, odd or beside a transfer coding, chunk sizes that are not plain hexadecimal.
 */
export function readStrictly(bytes: Buffer): StrictRequest | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [start = '', ...lines] = bytes.toString('latin1', 0, end).split(LINE_END);
  const [method = '', target = '', version, ...more] = start.split(' ');
  check(TOKEN.test(method) && version === 'HTTP/1.1' && more.length === 0, `request line ${JSON.stringify(start)}`);
  check(/^[!-~\x80-\xff]+$/.test(target) && target.startsWith('/'), `target ${JSON.stringify(target)}`);
  const headers = lines.map(field);
  const body = end + 4;
  return { method, target, headers, wireBytes: bodyEnd(bytes, body, framingOf(headers)) };
}

function field(line: string): readonly [string, string] {
  const colon = line.indexOf(':');
  const name = line.slice(0, colon);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is what is asked
  check(colon > 0 && TOKEN.test(name) && !/[\x00-\x08\x0a-\x1f\x7f]/.test(line), `field ${JSON.stringify(line)}`);
  return [name.toLowerCase(), line.slice(colon + 1).trim()];
}

/** The length of the body, or that it is chunked. */
function framingOf(headers: StrictRequest['headers']): number | 'chunked' {
  const values = (name: string) => headers.filter(([other]) => other === name).map(([, value]) => value);
  const lengths = values('content-length');
  const codings = values('transfer-encoding');
  check(lengths.length + codings.length <= 1, `framing ${JSON.stringify([lengths, codings])}`);
  check(values('host').length === 1, 'the number of Host fields');
  const [length] = lengths;
  const [coding] = codings;
  if (coding !== undefined) {
    check(coding === 'chunked', `coding ${JSON.stringify(coding)}`);
    return 'chunked';
  }
  check(length === undefined || /^\d+$/.test(length), `length ${JSON.stringify(length)}`);
  return Number(length ?? 0);
}

function bodyEnd(bytes: Buffer, from: number, framing: number | 'chunked'): number | null {
  if (framing !== 'chunked') return bytes.length < from + framing ? null : from + framing;
  let at = from;
  for (;;) {
    const lineEnd = bytes.indexOf(LINE_END, at);
    if (lineEnd < 0) return null;
    const size = bytes.toString('latin1', at, lineEnd);
    check(/^[0-9a-fA-F]+$/.test(size), `chunk size ${JSON.stringify(size)}`);
    const length = Number.parseInt(size, 16);
    at = lineEnd + 2 + length + 2;
    if (bytes.length < at) return null;
    check(bytes.toString('latin1', at - 2, at) === LINE_END, 'the end of a chunk');
    // Trailers are not forwarded: the end stands right behind the last chunk.
    if (length === 0) return at;
  }
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(`two servers could read this differently: ${what}`);
}
