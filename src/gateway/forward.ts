import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { ReceivedHead } from './answer-head.ts';
import type { ChunkTaker } from './chunk-walk.ts';
import { type Failure, failureOf } from './outcome.ts';
import { takeWholeChunks } from './undici-parser.ts';

/** What the client's side does with what the upstream's side hears. */
export interface ForwardOwner {
  /** The head of the final answer. */
  answered(head: ReceivedHead): void;
  /**
   * False: wait for `resume`. `shown`: what the client gets of it, if that is not all. `framed`: the same bytes as a
   * chunk of HTTP/1.1, where they came as one.
   */
  relayed(bytes: Buffer, shown?: Buffer, framed?: Buffer | null): boolean;
  completed(trailers: readonly Buffer[]): void;
  switched(status: number, rawHeaders: readonly Buffer[], socket: Duplex): void;
  failed(failure: Failure): void;
}

const TRANSFER_ENCODING = 'transfer-encoding';

/**
 * One request to the upstream, as undici's older handler interface sees it. That one hands over the
 * parser's raw headers and takes `false` for a pause; the newer would parse the headers and wrap the
 * handler for every request.
 */
export class Forward implements Dispatcher.DispatchHandler, ChunkTaker {
  /** Called when the connection has done its part; `isReusable`: it ended with a whole answer. The first call counts. */
  onReleased: (isReusable: boolean) => void = () => {};
  #owner: ForwardOwner;
  #abort: ((reason?: Error) => void) | null = null;
  #resume: (() => void) | null = null;
  #isCancelled = false;

  constructor(owner: ForwardOwner) {
    this.#owner = owner;
  }

  /** From now on, another one hears of the answer. */
  handOver(owner: ForwardOwner): void {
    this.#owner = owner;
  }

  /** Ends the request at once, wherever it stands: waiting for a connection it is never sent. */
  cancel(): void {
    this.#isCancelled = true;
    if (this.#abort === null) this.onReleased(false);
    else this.#abort(new Error('cancelled'));
  }

  /** The client takes more. */
  resume(): void {
    if (!this.#isCancelled) this.#resume?.();
  }

  onConnect(abort: (reason?: Error) => void): void {
    // `abort` would close the connection that others wait for; of a throw undici only drops the request.
    if (this.#isCancelled) throw new Error('cancelled');
    this.#abort = abort;
  }

  onHeaders(status: number, rawHeaders: Buffer[], ...[resume, reason]: [resume: () => void, reason: string]): boolean {
    // Interim answers may be dropped (CONTRACT §4).
    if (status < 200) return true;
    this.#resume = resume;
    if (isChunked(rawHeaders)) takeWholeChunks(this);
    this.#owner.answered({ status, reason, rawHeaders });
    return true;
  }

  onData(bytes: Buffer): boolean {
    return this.#owner.relayed(bytes);
  }

  wholeChunk(body: Buffer, framed: Buffer): boolean {
    return this.#isCancelled || this.#owner.relayed(body, body, framed);
  }

  onComplete(trailers: unknown): void {
    this.#resume = null;
    this.onReleased(true);
    // The types say strings; what comes are the parser's own buffers.
    this.#owner.completed(trailers as Buffer[]);
  }

  onUpgrade(status: number, rawHeaders: unknown, socket: Duplex): void {
    this.onReleased(false);
    // As above.
    this.#owner.switched(status, rawHeaders as Buffer[], socket);
  }

  onError(error: Error): void {
    this.#resume = null;
    this.onReleased(false);
    if (!this.#isCancelled) this.#owner.failed(failureOf(error, this.#abort !== null));
  }
}

/** Under that coding and no other. */
function isChunked(rawHeaders: readonly Buffer[]): boolean {
  const values = rawHeaders.filter((_, at) => at % 2 === 1 && isTransferEncoding(rawHeaders[at - 1]));
  return values.length === 1 && values[0]?.toString('latin1').trim().toLowerCase() === 'chunked';
}

function isTransferEncoding(name: Buffer | undefined): boolean {
  return name?.length === TRANSFER_ENCODING.length && name.toString('latin1').toLowerCase() === TRANSFER_ENCODING;
}
