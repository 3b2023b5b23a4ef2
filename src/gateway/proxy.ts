import { IncomingMessage, METHODS, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import httpProxy, { type FastifyHttpProxyOptions } from '@fastify/http-proxy';
import { type FastifyError, type FastifyInstance, fastify } from 'fastify';
import { refuse, refuseError } from './bad-request.ts';
import { TCP_PROBE_AFTER_MS } from './connect.ts';
import type { Connections } from './connections.ts';
import type { ClientSide, Exchange } from './exchange.ts';
import { isForeignMethod } from './foreign-method.ts';
import { saidLast, sayLast } from './last-answer.ts';
import { hasBody, malformation, targetOf } from './request-head.ts';
import { UpgradedClient } from './upgraded-client.ts';
import { MAX_HEAD_BYTES } from './upstreams.ts';

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange | null;
  }
}

/** Longer than the 60 s for which load balancers commonly keep idle connections, so that they close first. */
const KEEP_ALIVE_MS = 75_000;
/** Carries an exchange through the library: it copies this key from its headers to the request it makes. */
const EXCHANGE = Symbol('exchange');

/**
 * As Node's own, except that only a WebSocket, which has no body, is an upgrade. Other offers (h2c)
 * may be ignored (RFC 9110 §7.8), and going along with them would hand out a raw connection to the upstream.
 */
class ClientRequest extends IncomingMessage {
  declare isUpgradeAnnounced: boolean;

  get upgrade(): boolean {
    if (!this.isUpgradeAnnounced) return false;
    if (this.method === 'CONNECT') return true;
    return this.method === 'GET' && this.headers.upgrade?.toLowerCase() === 'websocket' && !hasBody(this);
  }

  set upgrade(isAnnounced: boolean | null) {
    this.isUpgradeAnnounced = isAnnounced === true;
  }
}

/**
 * An upgrade was announced and is not taken. Node's parser has stopped there, and drops what came in
 * the same read behind it: a client that sent more must be told that it is not answered.
 */
function leavesUpgrade(request: IncomingMessage): boolean {
  return request instanceof ClientRequest && request.isUpgradeAnnounced && !request.upgrade;
}

/**
 * The one place that knows @fastify/http-proxy. Fastify takes the requests and the library routes
 * them; what is sent to the upstream and back is ours, through the library's `undici.request` hook:
 * see docs/DESIGN.md for what the library's own way would do to targets, bodies, headers and aborts.
 */
export async function createProxy(
  open: (client: ClientSide) => Exchange,
  connections: Connections,
): Promise<FastifyInstance> {
  const app = fastify({
    logger: false,
    // Fastify's router would decode some targets and refuse others: it keeps `originalUrl` and sees one route.
    rewriteUrl: () => '/',
    exposeHeadRoutes: false,
    return503OnClosing: false,
    requestTimeout: 0,
    connectionTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    clientErrorHandler: (error, socket) => refuseError(error, socket, connections),
    http: {
      // The types want a class of theirs exactly; ours only narrows `upgrade`.
      IncomingMessage: ClientRequest as typeof IncomingMessage,
      maxHeaderSize: MAX_HEAD_BYTES,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: TCP_PROBE_AFTER_MS,
    },
  });
  // "Without a body" to Fastify, so that it leaves every body unread, whatever its type and size.
  const methods = METHODS.filter((method) => method !== 'CONNECT');
  for (const method of methods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.decorateRequest('exchange', null);
  app.setErrorHandler<FastifyError>((error, { raw }, reply) => {
    if (!isForeignMethod(error)) throw error;
    reply.hijack();
    if (saidLast(raw.socket)) raw.resume();
    else refuse(reply.raw, 'This is no method of HTTP.');
  });
  await app.register(httpProxy, proxyOptions(methods, open));
  await app.ready();
  listenTo(app.server, open, connections);
  return app;
}

function proxyOptions(methods: string[], open: (client: ClientSide) => Exchange): FastifyHttpProxyOptions {
  return {
    upstream: 'http://configured.invalid',
    routes: ['/'],
    httpMethods: methods,
    proxyPayloads: false,
    disableRequestLogging: true,
    handler(request, reply, ...[, options]) {
      reply.hijack();
      if (saidLast(request.raw.socket)) {
        request.raw.resume();
        return;
      }
      if (leavesUpgrade(request.raw)) sayLast(reply.raw);
      const target = targetOf(request.originalUrl);
      const fault = malformation(request.raw, target);
      if (fault !== null) {
        refuse(reply.raw, fault);
        return;
      }
      request.exchange = open({ request: request.raw, response: reply.raw, target, upgraded: null });
      reply.from('/', options);
    },
    replyOptions: {
      // One upstream request per client request.
      retryDelay: () => null,
      // In place of the request's headers, which are forwarded raw, the request itself.
      rewriteRequestHeaders: ({ exchange }) => ({ [EXCHANGE]: exchange }) as Record<string, never>,
    },
    // The types want undici's own `request`; the library only ever calls this shape.
    undici: transport as unknown as NonNullable<FastifyHttpProxyOptions['undici']>,
  };
}

/** What the library takes for an undici dispatcher. It is never called back: the answer is the exchange's. */
const transport = {
  request(options: { headers: { [EXCHANGE]: Exchange } }): void {
    options.headers[EXCHANGE].start();
  },
  destroy(): void {},
};

function listenTo(server: Server, open: (client: ClientSide) => Exchange, connections: Connections): void {
  // Node drops header fields beyond 2,000 without a word; their size is bounded as it is.
  server.maxHeadersCount = 0;
  server.on('connection', (socket) => connections.watch(socket));
  // An expectation other than 100-continue may be ignored (RFC 9110 §10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    if (saidLast(socket)) drop(socket);
    else refuse(detachedResponse(request), 'This is no forward proxy.');
  });
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (saidLast(socket)) {
      drop(socket);
      return;
    }
    const response = detachedResponse(request);
    const upgraded = new UpgradedClient(socket, head);
    const target = targetOf(request.url ?? '/');
    const fault = malformation(request, target);
    if (fault !== null) refuse(response, fault);
    else open({ request, response, target, upgraded }).start();
  });
}

/** What still comes on a connection that is about to end. */
function drop(socket: Socket): void {
  socket.on('error', () => {}).resume();
}

/** A response on a connection that the HTTP server has let go of: it ends with its answer. */
function detachedResponse(request: IncomingMessage): ServerResponse {
  const response = new ServerResponse(request);
  // The server no longer listens to it; what goes wrong shows in its close.
  request.socket.on('error', () => {});
  response.shouldKeepAlive = false;
  response.assignSocket(request.socket);
  response.once('finish', () => request.socket.destroySoon());
  return response;
}
