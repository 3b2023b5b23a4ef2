import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Once the answer is out, how long a client may be silent while it still has bytes to send. As nginx's lingering_timeout. */
const IDLE_MS = 5_000;
/** And how long altogether. As nginx's lingering_time. */
const TOTAL_MS = 30_000;

/**
 * Ends a connection that may still be sending: our side is closed, what comes is thrown away, and
 * only then, or after a while, is the socket destroyed. Closing it at once would answer the unread
 * bytes with a reset, and that can overtake the answer.
 */
export function closeGently(socket: Socket): void {
  socket.end();
  socket.setTimeout(IDLE_MS, () => socket.destroy());
  const timer = setTimeout(() => socket.destroy(), TOTAL_MS);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}

/** Makes the HTTP server close this connection gently if the request is not through when its answer is out. */
export function lingerOnClose(request: IncomingMessage): void {
  const { socket } = request;
  const destroySoon = socket.destroySoon.bind(socket);
  socket.destroySoon = () => (request.complete ? destroySoon() : closeGently(socket));
}
