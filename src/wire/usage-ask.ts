import { asBuffer } from './framing/byte-store.ts';
import { parseObject } from './json.ts';
import { type RequestFacts, scanRequest } from './request-facts.ts';

/** What is spliced in. Behind a member, always: only a body that says `stream` is asked. */
const QUESTION = Buffer.from(',"stream_options":{"include_usage":true}');
const CLOSE_BRACE = 0x7d;
/** To parse more than this would hold up every other stream: 8 MiB take 30 ms, their scan a quarter of that. */
const PARSED_BYTES = 256 * 1024;

/** The client asks for a stream and says nothing of usage: `false` and `null` say something, too (FAULTS B02). */
export function leavesUsageOpen(facts: RequestFacts | null): boolean {
  return facts !== null && facts.stream === true && !facts.setsUsage;
}

/**
 * The body with the question for usage in it (CONTRACT §6.6): the same bytes, and before the closing
 * brace of the object one member more. Null where nothing may be asked, which is also the case for
 * whatever JSON.parse would refuse: only of that is it certain what the server will read. Of a large
 * body it must do that its members and brackets are in order.
 */
export function spliceUsageAsk(body: Uint8Array, scanned = scanRequest(body)): Buffer | null {
  const bytes = asBuffer(body);
  if (scanned === null || !leavesUsageOpen(scanned.facts)) return null;
  // Behind the closing brace of JSON there can only be white space.
  const brace = bytes.lastIndexOf(CLOSE_BRACE);
  const isSound =
    bytes.length > PARSED_BYTES ? scanned.end === brace && isBlank(bytes.subarray(brace + 1)) : isObject(bytes);
  if (!isSound) return null;
  return Buffer.concat([bytes.subarray(0, brace), QUESTION, bytes.subarray(brace)]);
}

function isObject(bytes: Buffer): boolean {
  return parseObject(bytes.toString('utf8', hasByteOrderMark(bytes) ? 3 : 0)) !== null;
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);
}

function hasByteOrderMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}
