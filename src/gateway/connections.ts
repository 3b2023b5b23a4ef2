import type { Socket } from 'node:net';

/** A request in flight, as its connection and the shutdown see it. */
export interface Ongoing {
  readonly connection: Socket;
  /** The client's side is gone. */
  clientLeft(): void;
  /** The grace is over. */
  shutDown(): void;
}

/**
 * Which requests hang on which client connection. A connection can carry several (pipelining), and
 * when it goes, all of them must hear of it at once: at its FIN, too, which counts as leaving
 * (CONTRACT §6.8), even while writes to it are blocked. The response's own `close` comes too late for
 * that, the request's comes when its body was read.
 */
export class Connections {
  readonly #ongoing = new Map<Socket, Set<Ongoing>>();

  watch(socket: Socket): void {
    const left = () => {
      for (const exchange of [...(this.#ongoing.get(socket) ?? [])]) exchange.clientLeft();
    };
    socket.on('end', left);
    socket.on('close', left);
  }

  add(exchange: Ongoing): void {
    const others = this.#ongoing.get(exchange.connection);
    if (others === undefined) this.#ongoing.set(exchange.connection, new Set([exchange]));
    else others.add(exchange);
  }

  delete(exchange: Ongoing): void {
    const others = this.#ongoing.get(exchange.connection);
    others?.delete(exchange);
    if (others?.size === 0) this.#ongoing.delete(exchange.connection);
  }

  isBusy(socket: Socket): boolean {
    return this.#ongoing.has(socket);
  }

  /** No request is in flight. */
  get isQuiet(): boolean {
    return this.#ongoing.size === 0;
  }

  shutDown(): void {
    const all = [...this.#ongoing.values()].flatMap((exchanges) => [...exchanges]);
    for (const exchange of all) exchange.shutDown();
  }
}
