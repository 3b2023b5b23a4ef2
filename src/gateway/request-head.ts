import type { IncomingMessage } from 'node:http';
import { connectionOptions, HOP_BY_HOP } from './hop-by-hop.ts';

/** `scheme://authority` of an absolute-form target (RFC 9112 §3.2.2). */
const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * The request target that is forwarded: the text the client sent. An absolute-form target is reduced
 * to its path and never followed, so the origin is always the configured one.
 */
export function targetOf(url: string): string {
  if (url.startsWith('/') || url === '*') return url;
  const rest = url.replace(AUTHORITY, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

export function pathOf(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}

/** The request has a body, if perhaps an empty one. */
export function hasBody(request: IncomingMessage): boolean {
  const { headers } = request;
  if (headers['transfer-encoding'] !== undefined) return true;
  const length = headers['content-length'];
  return length !== undefined && length !== '0';
}

/**
 * Why a request cannot be forwarded without changing what it means; null when it can. These end as
 * malformed HTTP does: with 400, before a request exists.
 */
export function malformation(request: IncomingMessage, target: string): string | null {
  const { headers, httpVersion } = request;
  if (target === '*') return 'An asterisk target cannot be forwarded.';
  // The parser takes 0.9 and 2.0, too.
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'Only HTTP/1.1 and HTTP/1.0 are understood.';
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return 'Only the transfer coding chunked is understood.';
  // Servers of HTTP/1.0 take what follows for another request (RFC 9112 §6.1).
  if (coding !== undefined && httpVersion === '1.0') return 'HTTP/1.0 has no transfer codings.';
  return count(request.rawHeaders, 'host') > 1 ? 'More than one Host header.' : null;
}

/**
 * The header fields that go to the upstream, as a flat list: names, order, case and duplicates as they
 * were sent, less what is hop-by-hop, `Expect` (answered here) and the fields the transport writes
 * itself: Content-Length unless the length must be told to it, and Host unless it is preserved.
 */
export function upstreamHeaders(request: IncomingMessage, keep: { host: boolean; contentLength: boolean }): string[] {
  const sent = request.rawHeaders;
  const named = connectionOptions(request.headers.connection);
  const kept: string[] = [];
  for (let at = 0; at + 1 < sent.length; at += 2) {
    const name = sent[at] ?? '';
    const lower = name.toLowerCase();
    if (lower === 'host') {
      if (!keep.host) continue;
    } else if (lower === 'content-length') {
      if (!keep.contentLength) continue;
    } else if (lower === 'expect' || HOP_BY_HOP.has(lower) || named?.has(lower)) continue;
    kept.push(name, sent[at + 1] ?? '');
  }
  return kept;
}

function count(rawHeaders: readonly string[], name: string): number {
  let found = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === name) found += 1;
  return found;
}
