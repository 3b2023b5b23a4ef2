import { connectionOptions, HOP_BY_HOP } from './hop-by-hop.ts';

/** How the end of an answer's body is told to the client. */
export type Framing = 'chunked' | 'length' | 'close' | 'none';

/** The head of an answer, as it goes to the client. */
export interface AnswerHead {
  status: number;
  reason: string;
  /** Flat list: names, case, order and duplicates as the upstream sent them, less what is hop-by-hop. */
  headers: string[];
  framing: Framing;
  /** Lower case, without parameters; empty when absent. */
  mediaType: string;
  /** The codings of all fields in the order in which they were applied, lower case; empty when the body is plain. */
  contentEncoding: string;
  upstreamRequestId: string | null;
  /** Any header as the upstream sent it, by its name in lower case; several are joined by commas. Null when absent. */
  header(name: string): string | null;
}

/** The head of an answer, as the upstream sent it. */
export interface ReceivedHead {
  status: number;
  reason: string;
  rawHeaders: readonly Buffer[];
}

/** What the head's shape for this client depends on. */
export interface AnswerContext {
  method: string;
  /** The client speaks HTTP/1.1, and so knows chunked bodies. */
  knowsChunked: boolean;
}

export function answerHead(received: ReceivedHead, context: AnswerContext): AnswerHead {
  const { status, reason } = received;
  const fields = received.rawHeaders.map((bytes) => bytes.toString('latin1'));
  const head: AnswerHead = {
    status,
    reason,
    headers: [],
    framing: 'none',
    mediaType: '',
    contentEncoding: '',
    upstreamRequestId: null,
    header: (name) => joinedValues(fields, name) ?? null,
  };
  const length = relevantFields(fields, head);
  const codings = transferCodings(fields);
  if (context.method === 'HEAD' || isBodiless(status)) head.framing = 'none';
  else if (length) head.framing = 'length';
  else head.framing = context.knowsChunked && endsChunked(codings) ? 'chunked' : 'close';
  head.headers = keptFields(fields, head, { ...context, isChunkedTwice: isChunkedTwice(codings) });
  return head;
}

/** No answer with this status has a body, whatever its fields say (RFC 9112 §6.3). */
function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

/** The values of Transfer-Encoding in lower case, in the order in which they were applied; null where the field is absent. */
function transferCodings(fields: readonly string[]): string[] | null {
  const joined = joinedValues(fields, 'transfer-encoding');
  return joined === undefined ? null : joined.split(',').map((coding) => coding.trim().toLowerCase());
}

/**
 * A body under another last coding (`identity`, `gzip`, a name nobody knows) ends with its connection
 * (RFC 9112 §6.3), and goes on to the client in that way under the same field. One under none is ours to frame.
 */
function endsChunked(codings: readonly string[] | null): boolean {
  return codings === null || codings.at(-1) === 'chunked';
}

/** Said twice, it was applied once all the same (RFC 9112 §7.1 allows no more), and is to be said once. */
function isChunkedTwice(codings: readonly string[] | null): boolean {
  return codings !== null && codings.length > 1 && codings.every((coding) => coding === 'chunked');
}

/** Notes what the meter and the framing want to know; true when there is a Content-Length. */
function relevantFields(fields: readonly string[], head: AnswerHead): boolean {
  let hasLength = false;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const value = fields[at + 1] ?? '';
    switch (fields[at]?.toLowerCase()) {
      case 'content-type':
        head.mediaType = mediaTypeOf(value);
        break;
      case 'content-encoding':
        head.contentEncoding = withCodings(head.contentEncoding, value);
        break;
      case 'content-length':
        hasLength = true;
        break;
      case 'x-request-id':
        head.upstreamRequestId = value;
        break;
      case 'request-id': // Anthropic
      case 'x-amzn-requestid':
      case 'apim-request-id': // Azure
        head.upstreamRequestId ??= value;
        break;
    }
  }
  return hasLength;
}

function keptFields(
  fields: readonly string[],
  head: AnswerHead,
  context: AnswerContext & { isChunkedTwice: boolean },
): string[] {
  const isChunked = head.framing === 'chunked';
  const named = connectionOptions(joinedValues(fields, 'connection'));
  const kept: string[] = [];
  let saysChunked = false;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] ?? '';
    const value = fields[at + 1] ?? '';
    const lower = name.toLowerCase();
    if (lower === 'transfer-encoding') {
      if (!keepsCoding(head, context) || (isChunked && context.isChunkedTwice)) continue;
      saysChunked = true;
    } else if (lower === 'trailer') {
      // Node refuses to announce trailers where none can follow.
      if (!isChunked) continue;
    } else if (lower === 'content-length') {
      // A 204 may not have one (RFC 9110 §8.6); a client that believed it would wait for a body. 0 does no harm.
      if (head.status === 204 && value !== '0') continue;
    } else if (HOP_BY_HOP.has(lower) || named?.has(lower)) continue;
    kept.push(name, value);
  }
  if (isChunked && !saysChunked) kept.push('Transfer-Encoding', 'chunked');
  return kept;
}

/** Of a client that knows codings, where there is a body under them. To a HEAD, they say how a GET would be answered. */
function keepsCoding({ status, framing }: AnswerHead, { method, knowsChunked }: AnswerContext): boolean {
  if (!knowsChunked || isBodiless(status)) return false;
  return framing === 'chunked' || framing === 'close' || method === 'HEAD';
}

/** All values of a field, joined as RFC 9110 §5.2 has it. */
function joinedValues(fields: readonly string[], name: string): string | undefined {
  let joined: string | undefined;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    if (fields[at]?.toLowerCase() !== name) continue;
    joined = joined === undefined ? fields[at + 1] : `${joined},${fields[at + 1]}`;
  }
  return joined;
}

/** The value of a header field in lower case, the last of several; empty when it is absent. */
export function fieldOf(rawHeaders: readonly Buffer[], name: string): string {
  let value = '';
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toString('latin1').toLowerCase() !== name) continue;
    value = rawHeaders[at + 1]?.toString('latin1').trim().toLowerCase() ?? '';
  }
  return value;
}

/** `identity` is no coding (RFC 9110 §8.4.1), though some servers write it beside one. */
function withCodings(before: string, value: string): string {
  const codings = value
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  return (before === '' ? codings : [before, ...codings]).join(', ');
}

function mediaTypeOf(contentType: string): string {
  const semicolon = contentType.indexOf(';');
  return (semicolon === -1 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}
