import type { Socket } from 'node:net';

/** What a client may send before its upstream has agreed to switch. */
const EARLY_BYTES = 64 * 1024;

/**
 * A client connection that has left HTTP/1.1 behind and waits for the upstream to agree. It is read
 * meanwhile, or its leaving would not be noticed; what it sends early is kept for the upstream, and
 * goes nowhere if that declines: no second request can slip through.
 */
export class UpgradedClient {
  readonly socket: Socket;
  #early: Buffer[];
  #earlyBytes: number;

  constructor(socket: Socket, head: Buffer) {
    this.socket = socket;
    this.#early = [head];
    this.#earlyBytes = head.length;
    socket.on('data', this.#keep);
  }

  /** Stops reading and hands over what came early. */
  take(): Buffer {
    this.socket.off('data', this.#keep);
    this.socket.pause();
    return Buffer.concat(this.#early);
  }

  #keep = (bytes: Buffer): void => {
    this.#early.push(bytes);
    this.#earlyBytes += bytes.length;
    if (this.#earlyBytes > EARLY_BYTES) this.socket.pause();
  };
}
