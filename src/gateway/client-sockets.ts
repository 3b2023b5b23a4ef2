import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Connections } from './connections.ts';
import { letIn } from './listening.ts';

/** How long a client that has connected may take to send its request once no more connections are taken. */
const FIRST_REQUEST_MS = 1_000;

/**
 * The connections that clients made to one server, and how they end with it. Node's own `close` and
 * `closeIdleConnections` destroy a connection as soon as its answer was handed over, whether it was
 * written or not: a client that reads slowly loses the end of it.
 */
export class ClientSockets {
  readonly #server: Server;
  readonly #connections: Connections;
  readonly #open = new Set<Socket>();
  /** Connected, and no request yet. */
  readonly #fresh = new Set<Socket>();
  #accepted = 0;
  #isStopped = false;
  /** Called when the last of those who had connected has asked or is gone. */
  onAllAsked: () => void = () => {};

  constructor(server: Server, connections: Connections) {
    this.#server = server;
    this.#connections = connections;
    server.on('connection', (socket) => this.#connected(socket));
  }

  /** A request came in on this connection. */
  asked(socket: Socket): void {
    this.#fresh.delete(socket);
  }

  /** Everyone who has connected has asked. */
  get haveAsked(): boolean {
    return this.#fresh.size === 0;
  }

  /**
   * Takes no more connections, and ends those on which nothing runs. Closing a listener resets what
   * waits in its backlog, and so who stands there is let in first; who has just come may still ask.
   */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    await letIn(() => this.#accepted);
    if (this.#isStopped) return;
    this.#isStopped = true;
    NetServer.prototype.close.call(this.#server);
    for (const socket of this.#open) this.#endIdle(socket);
    setTimeout(() => this.#endFresh(), FIRST_REQUEST_MS).unref();
  }

  /** A request on this connection has ended. Not at once: an answer to one behind it may still be about to be written. */
  answered(socket: Socket): void {
    if (this.#isStopped) setImmediate(() => this.#endIdle(socket));
  }

  /** Waits until all are closed, `patienceMs` at most: what was said last is on its way. Destroys the rest. */
  async closed(patienceMs: number): Promise<void> {
    this.#endFresh();
    if (this.#open.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, patienceMs);
        for (const socket of this.#open) {
          socket.once('close', () => {
            if (this.#open.size > 0) return;
            clearTimeout(timer);
            resolve();
          });
        }
      });
    }
    for (const socket of this.#open) socket.destroy();
    // What is left to end is Node's watch over slow requests.
    this.#server.close();
  }

  #connected(socket: Socket): void {
    this.#accepted += 1;
    this.#open.add(socket);
    this.#fresh.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#left(socket);
    });
  }

  #left(socket: Socket): void {
    if (this.#fresh.delete(socket) && this.#isStopped && this.haveAsked) this.onAllAsked();
  }

  /** With what was written to it last. */
  #endIdle(socket: Socket): void {
    if (!this.#connections.isBusy(socket) && !this.#fresh.has(socket)) socket.destroySoon();
  }

  #endFresh(): void {
    for (const socket of [...this.#fresh]) socket.destroySoon();
  }
}
