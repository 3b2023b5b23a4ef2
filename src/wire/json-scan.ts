import { NestedValue, StringEnd } from './framing/nested-value.ts';

/**
 * Walks the members of a JSON object in bytes without parsing it: request bodies hold images and long
 * conversations, and only a few short top-level values are wanted. Strings are skipped by searching
 * for their end, nested values by counting brackets, so nothing is built and no depth is too deep.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Where a top-level member stands: its key with the quotes, its value without surrounding blanks. */
export interface MemberPlace {
  keyStart: number;
  keyEnd: number;
  valueStart: number;
  valueEnd: number;
}

/**
 * Calls `visit` for each member whose value is whole, in their order, until the object or the bytes
 * end or the text is no JSON. Returns where that was: at the closing brace of a whole object; -1 when
 * the bytes do not begin an object. The place object is reused.
 */
export function scanMembers(body: Uint8Array, visit: (place: Readonly<MemberPlace>) => void): number {
  let at = skipBlank(body, hasByteOrderMark(body) ? 3 : 0);
  if (body[at] !== OPEN_BRACE) return -1;
  at = skipBlank(body, at + 1);
  const place: MemberPlace = { keyStart: 0, keyEnd: 0, valueStart: 0, valueEnd: 0 };
  while (body[at] === QUOTE) {
    place.keyStart = at;
    place.keyEnd = endOfString(body, at);
    at = skipBlank(body, place.keyEnd);
    if (body[at] !== COLON) return body.length;
    place.valueStart = skipBlank(body, at + 1);
    place.valueEnd = endOfValue(body, place.valueStart);
    if (place.valueEnd >= body.length) return body.length; // cut, or nothing closes the object behind it
    visit(place);
    at = skipBlank(body, place.valueEnd);
    if (body[at] !== COMMA) return at;
    at = skipBlank(body, at + 1);
  }
  return at;
}

/** The place behind the value; the length of the bytes when they end inside it. */
function endOfValue(body: Uint8Array, from: number): number {
  const first = body[from];
  if (first === QUOTE) return endOfString(body, from);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNested(body, from);
  let at = from;
  while (at < body.length && !endsScalar(body[at] ?? 0)) at += 1;
  return at;
}

function endsScalar(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isBlank(byte);
}

function endOfNested(body: Uint8Array, from: number): number {
  const end = new NestedValue().find(body, from);
  return end < 0 ? body.length : end;
}

/** The place behind the closing quote of the string that opens at `open`; the length when it is cut. */
function endOfString(body: Uint8Array, open: number): number {
  const end = new StringEnd().find(body, open + 1);
  return end < 0 ? body.length : end;
}

function skipBlank(body: Uint8Array, from: number): number {
  let at = from;
  while (at < body.length && isBlank(body[at] ?? 0)) at += 1;
  return at;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function hasByteOrderMark(body: Uint8Array): boolean {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
}
