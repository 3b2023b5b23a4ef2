import { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { parseAddress } from '../config/addresses.ts';
import { type Format, formatOf } from '../metrics/accept.ts';
import type { MetricSet } from '../metrics/metric-set.ts';
import { CONTENT_TYPE } from '../metrics/slice.ts';
import { type Guards, hostRule, onlyReading, securityHeaders, tokenRule } from './admin-guard.ts';
import { addPage } from './admin-page.ts';
import { refuseBytes } from './admin-refusal.ts';
import { addStream, type News } from './admin-stream.ts';
import { isForeignMethod } from './foreign-method.ts';
import { OneAtATime } from './one-at-a-time.ts';
import type { PageFile } from './page-files.ts';
import { acceptsGzip, bytesOf, Scrape } from './scrape.ts';

/** Whether new requests are taken, and if not, why, in a sentence. */
export type Readiness = { ready: true } | { ready: false; reason: string };

/** `listen`: port 0 lets the system choose. `token`: null is open to everyone who can connect. */
export interface AdminPortParts extends Guards {
  metrics: MetricSet;
  page: ReadonlyMap<string, PageFile>;
  /** What `/api/stream` tells. */
  news: News & { close(): void };
  readiness: () => Readiness;
  /** What `/api/snapshot` answers: plain JSON data. */
  snapshot: () => unknown;
  /** What `/api/users` answers, in pieces. */
  users: () => AsyncIterable<string>;
  /** What `/api/operating-curve` answers: plain JSON data. */
  operatingCurve: () => unknown;
  /** What `/api/plan` answers to its query. */
  plan: (query: URLSearchParams) => { status: number; body: unknown };
  log: { error(fields: object, message: string): void };
}

export interface AdminPort {
  /** Begins to listen; resolves to the real HOST:PORT. Rejects with the system's error, a port in use say. */
  listen(): Promise<string>;
  /** Ends open connections too. */
  close(): Promise<void>;
}

/** A scraper that does not read is let go after this: it holds the numbers of its scrape in memory. */
const STALLED_MS = 60_000;

/** The port of the operator (CONTRACT §5): metrics, health, and the live views. Knows nothing of the data port. */
export function createAdminPort(parts: AdminPortParts): AdminPort {
  const app = fastify({
    logger: false,
    connectionTimeout: STALLED_MS,
    forceCloseConnections: true,
    clientErrorHandler: refuseBytes,
    frameworkErrors: (_error, request, reply) => {
      securityHeaders(request, reply, () => {});
      notFound(request, reply);
    },
  });
  app.addHook('onRequest', securityHeaders);
  app.addHook('onRequest', onlyReading);
  app.addHook('onRequest', hostRule(parts));
  app.addHook('onRequest', tokenRule(parts));
  app.setNotFoundHandler(notFound);
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    if (isForeignMethod(error)) {
      securityHeaders(request, reply, () => {});
      return onlyReading(request, reply);
    }
    parts.log.error({ err: error, path: request.url.split('?', 1)[0] }, 'the admin port could not answer');
    return reply.code(500).send({ error: 'internal error' });
  });
  addPage(app, parts.page);
  addRoutes(app, parts);
  addStream(app, parts);
  addLiveViews(app, parts);
  addMetrics(app, parts.metrics);
  return {
    listen: () => listenOn(app, parts.listen),
    close: () => {
      parts.news.close();
      return app.close();
    },
  };
}

function addRoutes(app: FastifyInstance, parts: AdminPortParts): void {
  app.get('/healthz', (_request, reply) => reply.send({ status: 'ok' }));
  app.get('/readyz', (_request, reply) => {
    const readiness = parts.readiness();
    if (readiness.ready) return reply.send({ status: 'ready' });
    return reply.code(503).send({ status: 'not ready', reason: readiness.reason });
  });
  app.get('/api/operating-curve', (_request, reply) => reply.send(parts.operatingCurve()));
  app.get('/api/plan', (request, reply) => {
    const [, query = ''] = request.url.split('?', 2);
    const { status, body } = parts.plan(new URLSearchParams(query));
    return reply.code(status).send(body);
  });
}

function addLiveViews(app: FastifyInstance, parts: AdminPortParts): void {
  const views = {
    '/api/snapshot': new OneAtATime((_key: null) => Buffer.from(JSON.stringify(parts.snapshot()))),
    '/api/users': new OneAtATime((_key: null) => bytesOf(parts.users())),
  };
  for (const [path, view] of Object.entries(views)) {
    app.get(path, async (_request, reply) => {
      reply.type('application/json; charset=utf-8');
      return reply.send(await view.get(null));
    });
  }
}

function addMetrics(app: FastifyInstance, metrics: MetricSet): void {
  const scrapes = new OneAtATime((format: Format) => Scrape.of(metrics, format));
  app.get('/metrics', async (request, reply) => {
    const format = formatOf(request.headers.accept);
    const isZipped = acceptsGzip(request.headers['accept-encoding']);
    reply.header('vary', 'accept, accept-encoding').type(CONTENT_TYPE[format]);
    if (isZipped) reply.header('content-encoding', 'gzip');
    // A HEAD is answered without the work of a scrape.
    if (request.method === 'HEAD') return reply.send();
    const scrape = await scrapes.get(format);
    return reply.send(isZipped ? await scrape.zipped() : scrape.plain);
  });
}

function notFound(_request: FastifyRequest, reply: FastifyReply): void {
  reply.code(404).send({ error: 'there is nothing at this path' });
}

async function listenOn(app: FastifyInstance, listen: string): Promise<string> {
  const address = parseAddress(listen);
  if (address === null) throw new Error(`${listen} is not HOST:PORT`);
  await app.listen(address);
  const bound = app.server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
  return address.host.includes(':') ? `[${address.host}]:${port}` : `${address.host}:${port}`;
}
