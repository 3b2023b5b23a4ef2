import type { Socket } from 'node:net';
import { ADMIN_HEADERS } from './admin-guard.ts';
import { closeGently } from './linger.ts';

const REFUSALS: Readonly<Record<string, readonly [status: string, error: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the head of the request is too long'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request took too long to arrive'],
};

/** Ends a connection to the admin port whose bytes are no HTTP request, under the headers of every other answer. */
export function refuseBytes({ code }: NodeJS.ErrnoException, socket: Socket): void {
  // More of the same bytes: the refusal is on its way.
  if (socket.writableEnded) return;
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, error] = REFUSALS[code ?? ''] ?? ['400 Bad Request', 'this is no HTTP request'];
  const body = JSON.stringify({ error });
  const headers = {
    ...ADMIN_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`, 'latin1');
  closeGently(socket);
}
