import type { IncomingMessage } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Forward } from './forward.ts';
import { RequestBody } from './request-body.ts';
import { upstreamHeaders } from './request-head.ts';
import type { Upstream } from './upstreams.ts';

/** undici takes `servername`, but its types do not know it. */
interface Dispatch extends Dispatcher.DispatchOptions {
  servername: string;
}

/** Sends one request to its upstream: exactly once, to the configured origin, the target as it came. */
export function dispatch(
  upstream: Upstream,
  sent: { request: IncomingMessage; target: string; isUpgrade: boolean; body: Buffer | RequestBody },
  forward: Forward,
): void {
  const { request, target, isUpgrade, body } = sent;
  const { timeouts, preserve_host } = upstream.config;
  const options: Dispatch = {
    origin: upstream.origin,
    path: upstream.prefix + target,
    method: request.method ?? 'GET',
    // A buffer has its length; a stream's must be told, or it is sent in chunks.
    headers: upstreamHeaders(request, { host: preserve_host, contentLength: body instanceof RequestBody }),
    body,
    headersTimeout: timeouts.headers,
    bodyTimeout: timeouts.idle,
    // Only tells undici that connections do not differ by Host header; the connector asks for the upstream's name.
    servername: upstream.origin,
    upgrade: isUpgrade ? (request.headers.upgrade ?? null) : null,
  };
  upstream.pool.dispatch(options, forward);
}
