import { asBuffer } from './framing/byte-store.ts';
import { NO_FACTS, type RequestFacts } from './request-facts.ts';

const CRLF = '\r\n';
const HEAD_END = '\r\n\r\n';
const DASH = 0x2d;
/** What may follow a boundary: the closing dashes, or white space up to the end of the line (RFC 2046 §5.1.1). */
const BEHIND_BOUNDARY = new Set([DASH, 0x0d, 0x20, 0x09]);
/** More of a part's head is not read, and a longer value is none of ours. */
const HEAD_BYTES = 1024;
const VALUE_BYTES = 1024;

/** The boundary of a `multipart/form-data` body; null where the content type is another. */
export function formBoundary(contentType: string | undefined): string | null {
  if (contentType === undefined || !/^\s*multipart\/form-data\s*;/i.test(contentType)) return null;
  const found = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70})(?![^\s;]))/i.exec(contentType);
  return found?.[1] ?? found?.[2] ?? null;
}

/**
 * `model` and `stream` of a form, as audio transcriptions send them (RFC 7578), from the body or a cut
 * beginning of it; of a cut one, what stands whole in it. A file is no field, whatever its name. The last of
 * two fields of one name wins. Never throws, and looks at every byte about once.
 */
export function readFormFacts(body: Uint8Array, boundary: string): RequestFacts {
  const bytes = asBuffer(body);
  const delimiter = Buffer.from(`${CRLF}--${boundary}`, 'latin1');
  const facts: RequestFacts = { ...NO_FACTS };
  let at = firstPart(bytes, delimiter);
  while (at >= 0 && !(bytes[at] === DASH && bytes[at + 1] === DASH)) {
    const headEnd = bytes.indexOf(HEAD_END, at);
    if (headEnd < 0) break;
    const valueStart = headEnd + HEAD_END.length;
    // Of an empty value nothing may be there but the line end that the head left.
    const valueEnd = delimiterIn(bytes, delimiter, headEnd + CRLF.length);
    if (valueEnd < 0) break;
    if (valueEnd - valueStart <= VALUE_BYTES) {
      const name = fieldName(bytes.toString('utf8', at, Math.min(headEnd, at + HEAD_BYTES)));
      setField(facts, name, bytes.toString('utf8', valueStart, Math.max(valueStart, valueEnd)));
    }
    at = valueEnd + delimiter.length;
  }
  return facts;
}

/** Behind the first boundary, which may begin the body or follow a preamble. */
function firstPart(bytes: Buffer, delimiter: Buffer): number {
  const opening = delimiter.subarray(CRLF.length);
  if (bytes.subarray(0, opening.length).equals(opening)) return opening.length;
  const found = delimiterIn(bytes, delimiter, 0);
  return found < 0 ? -1 : found + delimiter.length;
}

/** Where the next boundary's line begins, its line end included; -1 when it does not. */
function delimiterIn(bytes: Buffer, delimiter: Buffer, from: number): number {
  let at = bytes.indexOf(delimiter, from);
  // What only begins like the boundary is content.
  while (at >= 0 && !BEHIND_BOUNDARY.has(bytes[at + delimiter.length] ?? 0)) at = bytes.indexOf(delimiter, at + 1);
  return at;
}

/** The name of a field; empty where the part has none, or is a file. */
function fieldName(head: string): string {
  const disposition = /^content-disposition:(.*)$/im.exec(head)?.[1] ?? '';
  if (/;\s*filename\*?=/i.test(disposition)) return '';
  const found = /;\s*name=(?:"([^"]*)"|([^\s;"]+))/i.exec(disposition);
  return found?.[1] ?? found?.[2] ?? '';
}

function setField(facts: RequestFacts, name: string, value: string): void {
  if (name === 'model') facts.model = value || null;
  if (name === 'stream') facts.stream = /^(true|1)$/i.test(value) ? true : /^(false|0)$/i.test(value) ? false : null;
}
