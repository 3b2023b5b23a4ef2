import type { Socket } from 'node:net';

/**
 * Connections that were handed to a worker, until it says that it has them. So long the first process keeps
 * its own copy of each: should the worker die before, another can take it, for none of it was read; and
 * should it die after, nothing here keeps a client waiting for an answer that nobody gives.
 */
export class HandedOver {
  readonly #sockets = new Map<number, Socket>();
  #count = 0;

  get size(): number {
    return this.#sockets.size;
  }

  /** The number to hand it over by. */
  add(socket: Socket): number {
    this.#count += 1;
    this.#sockets.set(this.#count, socket);
    return this.#count;
  }

  /** Closes the copy; the connection goes on where it was taken. */
  taken(number: number): void {
    this.#sockets.get(number)?.destroy();
    this.#sockets.delete(number);
  }

  /** It could not be sent. Null when it is not here any more. */
  back(number: number): Socket | null {
    const socket = this.#sockets.get(number) ?? null;
    this.#sockets.delete(number);
    return socket;
  }

  /** The worker is over: nobody took these. */
  allBack(): Socket[] {
    const sockets = [...this.#sockets.values()];
    this.#sockets.clear();
    return sockets;
  }
}
