import { createServer, type Server, type Socket } from 'node:net';
import { TCP_PROBE_AFTER_MS } from './connect.ts';
import { letIn, listenOn } from './listening.ts';
import type { GatewayLog } from './options.ts';

/** Accepts the connections of clients for other processes, which are handed them unread. */
export class Acceptor {
  readonly #server: Server;
  #accepted = 0;

  constructor(onConnection: (socket: Socket) => void) {
    // What the data port sets on its own connections; it stays with the socket.
    const options = { noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_PROBE_AFTER_MS };
    this.#server = createServer({ ...options, pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
      this.#accepted += 1;
      onConnection(socket);
    });
  }

  /** Resolves to the `HOST:PORT` really bound. Rejects with the system's error, as when the port is in use. */
  listen(listen: string, log: GatewayLog): Promise<string> {
    return listenOn(this.#server, listen, log);
  }

  /** Takes no more connections; who has connected is handed on. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    await letIn(() => this.#accepted);
    this.#server.close();
  }
}
