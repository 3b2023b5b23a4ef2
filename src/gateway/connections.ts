import type { Socket } from 'node:net';

const NOTHING = Buffer.alloc(0);
/** How often the connections of running requests are asked whether they are still there. */
const ASK_EVERY_MS = 5_000;

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
 *
 * While an upstream does not take what a client uploads, the client is not read, and Node hears
 * neither FIN nor reset. So now and then nothing is written to it: that fails once the connection is
 * gone. By a reset, it is at once; a client that only closed is forgotten by its own system after a
 * while, which then answers the probes of ours (`TCP_PROBE_AFTER_MS`) with a reset: two to seven
 * minutes, as measured. Nobody works for it meanwhile, and once the upstream takes more, the FIN is read.
 */
export class Connections {
  readonly #ongoing = new Map<Socket, Set<Ongoing>>();
  #asking: NodeJS.Timeout | null = null;

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
    this.#asking ??= setInterval(() => this.#ask(), ASK_EVERY_MS).unref();
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

  #ask(): void {
    if (this.#asking !== null && this.isQuiet) {
      clearInterval(this.#asking);
      this.#asking = null;
    }
    for (const socket of this.#ongoing.keys()) {
      // What waits to be written asks by itself.
      if (socket.writable && socket.writableLength === 0) socket.write(NOTHING);
    }
  }
}
