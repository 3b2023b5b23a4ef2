import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

const HIGH_WATER_BYTES = 64 * 1024;

export interface BodyListener {
  bodyChunk(bytes: Buffer): void;
  /** The last byte was received. */
  bodyEnded(bytes: number): void;
}

/**
 * The bytes of a request body on their way to the upstream, at the upstream's pace. While it is held
 * it takes in everything, so that the listener can look for the model; once released it hands on
 * exactly those bytes and what follows. Not the request itself, which undici would destroy together
 * with its connection when an answer comes before the body was read.
 */
export class RequestBody extends Readable {
  readonly #request: IncomingMessage;
  readonly #listener: BodyListener;
  #isHeld: boolean;
  #bytes = 0;

  constructor(request: IncomingMessage, listener: BodyListener, isHeld: boolean) {
    super({ highWaterMark: HIGH_WATER_BYTES });
    this.#request = request;
    this.#listener = listener;
    this.#isHeld = isHeld;
    // Whoever consumes this stream hears of errors elsewhere, and nobody may consume it at all.
    this.on('error', () => {});
    request.pause();
    request.on('data', this.#take);
    request.once('end', this.#finish);
    if (isHeld) request.resume();
  }

  release(): void {
    this.#isHeld = false;
    if (this.readableLength >= HIGH_WATER_BYTES) this.#request.pause();
  }

  override _read(): void {
    this.#request.resume();
  }

  /** What the client still sends is read and dropped, so that its connection stays in step. */
  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#request.off('data', this.#take);
    this.#request.off('end', this.#finish);
    this.#request.resume();
    callback(error);
  }

  #take = (bytes: Buffer): void => {
    this.#bytes += bytes.length;
    const wantsMore = this.push(bytes);
    if (!wantsMore && !this.#isHeld) this.#request.pause();
    this.#listener.bodyChunk(bytes);
  };

  #finish = (): void => {
    this.push(null);
    this.#listener.bodyEnded(this.#bytes);
  };
}
