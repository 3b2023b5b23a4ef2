import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import type { AnswerHead, Framing } from './answer-head.ts';
import { chunkFrame, chunkHead, FRAME_UP_TO_BYTES } from './chunk-frame.ts';
import type { Metering } from './metering.ts';
import type { RelayDelay } from './options.ts';

const NOTHING = Buffer.alloc(0);
const CRLF = Buffer.from('\r\n');
/** What one answer may relay in one turn of the event loop before the others are let in. */
const TURN_BYTES = 256 * 1024;
/** From here on a turn is looked at: an ordinary stream of tokens gets there once in a hundred events. */
const WATCHED_BYTES = 64 * 1024;
/** A chunk that is smaller is as much work: its bytes are what costs least. */
const LEAST_BYTES = 200;
/** A client that does not read what is left of a cut answer is not waited for any longer. */
const CUT_FLUSH_MS = 30_000;

export interface TeeParts {
  response: ServerResponse;
  metering: Metering;
  clock: Clock;
  relayDelay: RelayDelay;
  /** The client's socket was full for so long. */
  onUnblocked(ms: number): void;
  /** Lets the upstream go on after `chunk` returned false. */
  resume(): void;
}

/**
 * The hot path: every chunk of an answer goes to the client first, then to the meter. Nothing here
 * awaits, logs or throws. Where the answer owns the client's socket, a chunk is written to it as one
 * framed buffer: the response object's own writes cost as much again (DESIGN §3).
 */
export class Tee {
  readonly #parts: TeeParts;
  readonly #socket: Socket | null;
  readonly #framing: Framing;
  #isBlocked = false;
  /** Null while nothing waits, and while what is waited for is not this client: an answer ahead of this one. */
  #blockedSinceMs: number | null = null;
  #turnBytes = 0;
  #isTurnWatched = false;
  #hasYielded = false;
  #isOver = false;

  /** Sends the head at once. Throws, with nothing sent, when Node refuses it. */
  constructor(head: AnswerHead, parts: TeeParts) {
    const { response } = parts;
    this.#parts = parts;
    this.#framing = head.framing;
    response.sendDate = false;
    // Without this, Node adds `Connection` and `Keep-Alive`. An HTTP/1.0 client must be told that the connection stays.
    if (response.shouldKeepAlive && response.req.httpVersion === '1.1') response.removeHeader('connection');
    response.writeHead(head.status, head.reason, head.headers);
    // Node takes any coding with `chunked` in it for that, and would write a last chunk.
    if (head.framing === 'close') response.chunkedEncoding = false;
    // An empty buffer, not flushHeaders(): that one writes latin1 values as UTF-8. Node corks the socket
    // until the end of this tick, so a head and a first event that came together leave together.
    if (head.framing !== 'none') response.write(NOTHING);
    // A pipelined request has no socket before the answers ahead of it are out.
    this.#socket = response.socket;
  }

  /**
   * Relays one chunk, or what the client is shown of it; `framed`: what that is as a chunk of HTTP/1.1, if it is at hand.
   * False: the upstream must wait for `resume`.
   */
  chunk(bytes: Buffer, shown: Buffer, framed: Buffer | null): boolean {
    const { clock, metering, relayDelay } = this.#parts;
    const atMs = clock.nowMs();
    const isOpen = this.#write(shown, framed);
    relayDelay.observe(clock.nowMs() - atMs);
    metering.chunk(bytes, atMs);
    return isOpen && this.#mayGoOn(bytes.length);
  }

  /** The answer is complete; `flushed` is called once its last byte has been handed to the system. */
  end(trailers: readonly Buffer[], flushed: () => void): void {
    const { response } = this.#parts;
    this.stop();
    if (this.#framing === 'chunked' && trailers.length > 0) addTrailers(response, trailers);
    response.end();
    if (response.writableLength === 0) flushed();
    else response.once('finish', flushed);
  }

  /** The upstream broke off: what was relayed reaches the client, then the connection breaks there, too. */
  cut(): void {
    const socket = this.#socket;
    this.stop();
    if (socket === null) {
      this.#parts.response.destroy();
      return;
    }
    socket.setTimeout(CUT_FLUSH_MS);
    // Where the end of the connection is the end of the body, only a reset tells the two apart.
    if (this.#framing === 'close') socket.write(NOTHING, () => socket.resetAndDestroy());
    else socket.destroySoon();
  }

  /** Nothing more will be relayed; a wait for the client ends here. */
  stop(): void {
    this.#isOver = true;
    this.#unblock();
  }

  #write(bytes: Buffer, framed: Buffer | null): boolean {
    const socket = this.#socket;
    // An empty chunk would be the end of the body.
    if (bytes.length === 0) return true;
    if (socket === null) return this.#parts.response.write(bytes) || this.#block(this.#parts.response);
    if (this.#framing !== 'chunked') socket.write(bytes);
    else if (framed !== null) socket.write(framed);
    else if (bytes.length <= FRAME_UP_TO_BYTES) socket.write(chunkFrame(bytes));
    else {
      socket.cork();
      socket.write(chunkHead(bytes.length));
      socket.write(bytes);
      socket.write(CRLF);
      socket.uncork();
    }
    // `write` says false for any large chunk; the socket is full only when bytes are left in it.
    return !socket.writableNeedDrain || socket.writableLength === 0 || this.#block(socket);
  }

  #block(writer: Socket | ServerResponse): false {
    // Of a read of many chunks the rest is still written: it is waited for once.
    if (this.#isBlocked) return false;
    this.#isBlocked = true;
    if (this.#parts.response.socket !== null) this.#blockedSinceMs = this.#parts.clock.nowMs();
    writer.once('drain', () => {
      this.#unblock();
      if (!this.#isOver && !this.#hasYielded) this.#parts.resume();
    });
    return false;
  }

  #unblock(): void {
    this.#isBlocked = false;
    if (this.#blockedSinceMs === null) return;
    const { clock, onUnblocked } = this.#parts;
    onUnblocked(clock.nowMs() - this.#blockedSinceMs);
    this.#blockedSinceMs = null;
  }

  /** One flooding answer must not delay the tokens of the others: its work per turn of the loop is bounded. */
  #mayGoOn(bytes: number): boolean {
    this.#turnBytes += Math.max(bytes, LEAST_BYTES);
    if (this.#turnBytes < WATCHED_BYTES) return true;
    if (!this.#isTurnWatched) {
      this.#isTurnWatched = true;
      setImmediate(() => this.#nextTurn());
    }
    this.#hasYielded = this.#turnBytes >= TURN_BYTES;
    return !this.#hasYielded;
  }

  #nextTurn(): void {
    const mustResume = this.#hasYielded && !this.#isBlocked && !this.#isOver;
    this.#turnBytes = 0;
    this.#isTurnWatched = false;
    this.#hasYielded = false;
    if (mustResume) this.#parts.resume();
  }
}

function addTrailers(response: ServerResponse, trailers: readonly Buffer[]): void {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < trailers.length; at += 2) {
    pairs.push([trailers[at]?.toString('latin1') ?? '', trailers[at + 1]?.toString('latin1') ?? '']);
  }
  response.addTrailers(pairs);
}
