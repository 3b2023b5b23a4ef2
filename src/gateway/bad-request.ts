import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';
import { saidLast, sayLast } from './last-answer.ts';
import { closeGently } from './linger.ts';

/** Parse errors with a status of their own; any other is 400. */
const STATUS_LINES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Ends a connection whose bytes are no HTTP request. No request exists yet, so nothing is recorded. */
export function refuseError(error: NodeJS.ErrnoException, socket: Socket, connections: Connections): void {
  // More of the same bytes: the refusal is on its way.
  if (socket.writableEnded || saidLast(socket)) return;
  // Bytes behind a request that said it was the last: it is answered, they are dropped.
  if (error.code === 'HPE_CLOSED_CONNECTION' && connections.isBusy(socket)) return;
  // Amid an answer another one would be taken for its content.
  if (error.code === 'ECONNRESET' || !socket.writable || connections.isBusy(socket)) {
    socket.destroy();
    return;
  }
  const status = STATUS_LINES[error.code ?? ''] ?? '400 Bad Request';
  socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, 'latin1');
  closeGently(socket);
}

/** Refuses a request that is HTTP, but cannot be forwarded as what it is. */
export function refuse(response: ServerResponse, fault: string): void {
  const { req: request } = response;
  response.on('error', () => {});
  request.on('error', () => {});
  response.sendDate = false;
  sayLast(response);
  response.writeHead(400, ['Content-Type', 'text/plain', 'Content-Length', String(Buffer.byteLength(fault))]);
  response.end(fault);
}
