import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopback, parseAddress } from '../config/addresses.ts';

/** What holds no data, and is open to all, beside the page's own files (CONTRACT §5). */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/**
 * The page may load and run what is served here and nothing else. `data:` is for icons in its styles. Of styles in
 * attributes and scripts in the text there are none.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * On every answer, errors too. No CORS header, so that no other site reads what is here. `no-store`,
 * because it is true for a moment, and some of it is behind the token.
 */
export const ADMIN_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

export function securityHeaders(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.headers(ADMIN_HEADERS);
  done();
}

/** Nothing here changes anything: all but GET and HEAD is refused, whatever the path. */
export async function onlyReading(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  await reply.code(405).header('allow', 'GET, HEAD').send({ error: 'only GET and HEAD are allowed here' });
}

export interface Guards {
  /** HOST:PORT as configured. */
  listen: string;
  token: () => string | null;
  /** The page's files by path, which hold no data. */
  page: { has(path: string): boolean };
  /** Configured to be open to everyone. */
  isPublic: () => boolean;
}

/**
 * A page of another site can let its name stand for an address of this machine (DNS rebinding), and is
 * then of one origin with this port to the browser that shows it. So where nothing but its address
 * guards the port, it answers only to names that nobody else can own.
 */
export function hostRule({ listen, token, isPublic, page }: Guards) {
  const isLocal = isLoopback(parseAddress(listen)?.host ?? '');
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (!isLocal || token() !== null || isPublic() || isOpen(request.url, page) || isOwnName(request.headers.host))
      return;
    const message =
      'without admin.token this port answers to localhost and 127.0.0.1 only; for other names set a token, or admin.public: true';
    await reply.code(421).send({ error: message });
  };
}

/** A request without a Host is of no browser. */
function isOwnName(host: string | undefined): boolean {
  if (host === undefined) return true;
  const name = /^(?:\[([^\]]*)\]|([^:]*))(?::[0-9]*)?$/.exec(host);
  return name !== null && isLoopback(name[1] ?? name[2] ?? '');
}

/**
 * Asks for `Authorization: Bearer TOKEN` where a token is configured. Unknown paths want it too, so
 * that nobody can ask around. The token is read for each request: a reload may change it.
 */
export function tokenRule({ token, page }: Guards) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const expected = token();
    if (expected === null || isOpen(request.url, page)) return;
    const given = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    if (given !== undefined && isSame(given, expected)) return;
    const message = 'this path wants the header Authorization: Bearer TOKEN';
    await reply.code(401).header('www-authenticate', 'Bearer').send({ error: message });
  };
}

function isOpen(url: string, page: Guards['page']): boolean {
  const path = url.split('?', 1)[0] ?? '';
  return PROBES.has(path) || page.has(path);
}

/** In a time that does not tell how much of a guess was right, nor how long the token is. */
function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
