import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PageFile } from './page-files.ts';
import { acceptsGzip } from './scrape.ts';

/** The live page: each file at its own path, and nowhere else. */
export function addPage(app: FastifyInstance, files: ReadonlyMap<string, PageFile>): void {
  for (const [path, file] of files) app.get(path, (request, reply) => sendFile(file, request, reply));
}

function sendFile(file: PageFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('vary', 'accept-encoding').header('cache-control', file.cacheControl).header('etag', file.etag);
  if (hasIt(request.headers['if-none-match'], file.etag)) return reply.code(304).send();
  reply.type(file.type);
  if (file.zipped === null || !acceptsGzip(request.headers['accept-encoding'])) return reply.send(file.plain);
  return reply.header('content-encoding', 'gzip').send(file.zipped);
}

/** By weak comparison (RFC 9110 §13.1.2): a proxy may have weakened the tag when it compressed. */
function hasIt(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const known = ifNoneMatch.split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes('*') || known.includes(etag);
}
