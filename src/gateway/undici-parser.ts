import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type ChunkTaker, ChunkWalk } from './chunk-walk.ts';

/**
 * Six corrections of the answer parser inside undici 7.30 (lib/dispatcher/client-h1.js), each of a
 * fault that would break a promise of CONTRACT §4 or end the process. The class is not exported, so
 * it is corrected where it is first met: on a connected socket. Each correction has a test in
 * test/integration/gateway/; with another version of undici they say which of these can go.
 */
interface ResponseParser {
  statusCode: number;
  statusText: string;
  headers: Buffer[];
  headersSize: number;
  contentLength: string;
  bytesRead: number;
  paused: boolean;
  readonly timeout: { refresh?(): void } | null;
  /** Ours: where the chunks of the answer stand that is being read. */
  walk?: ChunkWalk | null;
  /** Its place in the memory of llhttp; null once it is destroyed. */
  readonly ptr: number | null;
  readonly socket: Socket;
  readonly llhttp: { llhttp_resume(ptr: number | null): void; llhttp_get_http_major(ptr: number | null): number };
  onStatus(bytes: Buffer): number;
  onHeadersComplete(statusCode: number, upgrade: boolean, shouldKeepAlive: boolean): number;
  onMessageComplete(): number;
  finish(): Error | null;
  execute(bytes: Buffer): void;
}

const CONTINUE = 100;
const NO_CONTENT = 204;
const NOT_MODIFIED = 304;
/** What llhttp takes for "this message has no body". */
const SKIP_BODY = 1;
/** And for "this is no HTTP". */
const REFUSED = -1;

const corrected = new WeakSet<object>();
/** The parser whose answer's head is being told. */
let telling: ResponseParser | null = null;
/** The symbol under which undici keeps a socket's parser, and which it does not export; null before the first socket. */
let parserKey: symbol | null = null;

export function correctParserOf(socket: Socket): void {
  const parser = parserOf(socket);
  if (parser === null) return;
  const prototype: ResponseParser = Object.getPrototypeOf(parser);
  if (corrected.has(prototype)) return;
  corrected.add(prototype);
  correctHeads(prototype);
  correctEnds(prototype);
  followChunks(prototype);
}

/**
 * Parses what was just read, at once. False where it must go through the stream's buffer first, from
 * which undici takes it a tick later: that way costs an eighth of what relaying an event does.
 */
export function parseNow(socket: Socket, bytes: Buffer): boolean {
  if (parserKey === null || socket.readableLength > 0) return false;
  const parser = parserOf(socket);
  if (parser === null || parser.ptr === null || parser.paused) return false;
  if (!takenWhole(parser, bytes)) parser.execute(bytes);
  return true;
}

/** To be called while the head of a chunked answer is told: chunks that come whole go to the taker, not through the parser. */
export function takeWholeChunks(taker: ChunkTaker): void {
  if (telling !== null) telling.walk = new ChunkWalk(taker);
}

function takenWhole(parser: ResponseParser, bytes: Buffer): boolean {
  const { walk, socket } = parser;
  if (walk === undefined || walk === null || socket.destroyed) return false;
  const isOpen = takenBy(walk, parser, bytes);
  if (isOpen === null) return false;
  parser.bytesRead += bytes.length;
  parser.timeout?.refresh?.();
  if (!isOpen) {
    // As if the parser itself had been told to wait: what is read from now on waits in the stream, for `resume`.
    parser.paused = true;
    parser.walk = null;
  }
  return true;
}

/** A fault of whoever takes the chunks ends this answer, as undici has it, and not the process. */
function takenBy(walk: ChunkWalk, { socket }: ResponseParser, bytes: Buffer): boolean | null {
  try {
    return walk.take(bytes);
  } catch (error) {
    socket.destroy(error instanceof Error ? error : new Error(String(error)));
    return true;
  }
}

/** Whatever the parser is given, the walk has to know of. */
function followChunks(prototype: ResponseParser): void {
  const { execute } = prototype;
  prototype.execute = function (bytes) {
    const running = this.walk ?? null;
    running?.pass(bytes);
    execute.call(this, bytes);
    // What is left of a read at which it paused comes a second time.
    if (this.paused) this.walk = null;
    else if (this.walk !== running) this.walk?.begin(bytes, this.statusCode);
  };
}

function parserOf(socket: Socket): ResponseParser | null {
  parserKey ??= Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser') ?? null;
  // A symbol key is unknown to the types, hence the reflection.
  return parserKey === null ? null : (Reflect.get(socket, parserKey) ?? null);
}

function correctHeads(prototype: ResponseParser): void {
  const { onHeadersComplete } = prototype;

  // A reason phrase that arrives in two reads lost its beginning, and was decoded as UTF-8.
  prototype.onStatus = function (bytes) {
    this.statusText += bytes.toString('latin1');
    return 0;
  };

  // 100 Continue was treated as an invalid answer; a client must accept it, asked for or not (RFC 9110 §15.2).
  // And a head of HTTP/2.0 or HTTP/0.9 in the form of HTTP/1 was taken for an answer of HTTP/1.
  prototype.onHeadersComplete = function (statusCode, upgrade, shouldKeepAlive) {
    if (this.llhttp.llhttp_get_http_major(this.ptr) !== 1) return REFUSED;
    if (statusCode !== CONTINUE) {
      telling = this;
      try {
        return onHeadersComplete.call(this, statusCode, upgrade, shouldKeepAlive);
      } finally {
        telling = null;
      }
    }
    this.statusCode = statusCode;
    this.headers = [];
    this.headersSize = 0;
    return SKIP_BODY;
  };
}

function correctEnds(prototype: ResponseParser): void {
  const { onMessageComplete, finish } = prototype;

  // The Content-Length of a 304 tells the length of what is not sent (RFC 9110 §8.6), that of a 204 nothing; it was an error.
  prototype.onMessageComplete = function () {
    this.walk = null;
    if (this.statusCode === NOT_MODIFIED || this.statusCode === NO_CONTENT) this.contentLength = '';
    return onMessageComplete.call(this);
  };

  prototype.finish = function () {
    // A reset in a body that ends with the connection was taken for its end: a cut answer looked whole.
    const reset = this.socket.errored ?? hiddenReset(this.socket);
    if (reset !== null) return reset;
    // The connection ended while a slow client had us paused: an assertion failed and ended the process.
    if (this.paused) {
      this.llhttp.llhttp_resume(this.ptr);
      this.paused = false;
    }
    return finish.call(this);
  };
}

/**
 * A reset that comes together with the last bytes is an ordinary end to Node (libuv reads no further
 * when the connection is over). Writing nothing tells: it works behind a FIN, and fails by the reset.
 */
function hiddenReset(socket: Socket): Error | null {
  if (socket instanceof TLSSocket || socket.writableLength > 0) return null;
  const errors: Error[] = [];
  Socket.prototype._write.call(socket, '', 'latin1', (error?: NodeJS.ErrnoException | null) => {
    // EPIPE: the FIN came before the reset, and with it the whole body.
    if (error?.code === 'ECONNRESET') errors.push(error);
  });
  return errors[0] ?? null;
}
