const STRING = 7;
/** Bytes of a value by its type, where they are fixed: booleans, integers, a timestamp, a UUID. */
const FIXED_BYTES: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];

/**
 * The headers of an AWS frame that are strings; the others say nothing to a meter. Where the bytes
 * are no headers, what was read before them.
 */
export function frameHeaders(bytes: Buffer, from: number, to: number): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let at = from;
  while (at < to) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const type = bytes[nameEnd] ?? 0;
    const fixed = FIXED_BYTES[type];
    if (type >= FIXED_BYTES.length || nameEnd + (fixed === undefined ? 3 : 1) > to) break;
    const value = nameEnd + (fixed === undefined ? 3 : 1);
    const end = value + (fixed ?? bytes.readUInt16BE(nameEnd + 1));
    if (end > to) break;
    if (type === STRING) headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', value, end));
    at = end;
  }
  return headers;
}
