import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { lingerOnClose } from './linger.ts';

const ending = new WeakSet<Socket>();

/**
 * The connection ends with this answer. What a client has sent behind its request is then no request
 * any more (RFC 9112 §9.6): nobody would get its answer, and it may be part of what was refused.
 */
export function sayLast(response: ServerResponse): void {
  const { req: request } = response;
  response.shouldKeepAlive = false;
  ending.add(request.socket);
  if (!request.complete) lingerOnClose(request);
}

/** An answer on this connection was the last: what comes is to be dropped. */
export function saidLast(connection: Socket): boolean {
  return ending.has(connection);
}
