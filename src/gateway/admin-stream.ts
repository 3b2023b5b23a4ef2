import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Sink, Watch } from '../live/broadcast.ts';

/** What tells watchers the news, until they leave. */
export interface News {
  readonly hasRoom: boolean;
  /** Returns what ends it. */
  join(watch: Watch): () => void;
}

export interface AdminStreamParts {
  news: News;
  /** With another one than a watcher came with, its stream ends. */
  token: () => string | null;
}

const TOO_MANY = 'too many watch already: close another page that shows this gateway, or try again later';
const TRY_AGAIN_SECONDS = 10;

/** `/api/stream`: server-sent events, as `src/live/stream-type.ts` tells. */
export function addStream(app: FastifyInstance, { news, token }: AdminStreamParts): void {
  app.get('/api/stream', (request, reply) => {
    // A proxy that gathers answers before it hands them on would show the past.
    reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no');
    if (request.method === 'HEAD') return reply.send();
    if (!news.hasRoom)
      return reply
        .code(503)
        .header('retry-after', String(TRY_AGAIN_SECONDS))
        .type('application/json; charset=utf-8')
        .send({ error: TOO_MANY });
    const response = openStream(reply);
    const tokenThen = token();
    const leave = news.join({
      sink: sinkOf(response),
      lastEventId: one(request.headers['last-event-id']),
      mayLook: () => token() === tokenThen,
    });
    response.once('close', leave);
    // Of one that left before it was answered, no `close` comes any more.
    if (response.destroyed) leave();
    return reply;
  });
}

/** The answer is ours from here on; its head has what every other has. */
function openStream(reply: FastifyReply): ServerResponse {
  const headers = reply.getHeaders();
  reply.hijack();
  const response = reply.raw;
  // A watcher that breaks off is gone when `close` comes; there is nothing to add.
  response.on('error', () => {});
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value);
  response.writeHead(200);
  response.flushHeaders();
  return response;
}

function sinkOf(response: ServerResponse): Sink {
  return {
    write: (text) => {
      response.write(text);
    },
    get isFull() {
      return response.writableLength > 0;
    },
    end: () => {
      response.end();
    },
    drop: () => {
      response.destroy();
    },
  };
}

function one(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? header : null;
}
