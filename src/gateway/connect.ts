import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { UpstreamConfig } from '../config/schema.ts';
import { correctParserOf, parseNow } from './undici-parser.ts';

/** A peer that vanished without a word is noticed by the operating system, probing after this much silence. */
export const TCP_PROBE_AFTER_MS = 60_000;
/** How long one of several addresses of a name may take before the next is tried. Node's own 250 ms gives up on distant ones. */
const NEXT_ADDRESS_AFTER_MS = 1_000;

/**
 * Node reads into a new buffer of 64 KiB each time and shrinks it to what came: for events of 200 bytes
 * that costs more than to copy them out of one buffer that all connections share. A read is handed
 * over before the next one begins, so nothing of it is lost.
 */
const SHARED_READ = {
  buffer: Buffer.allocUnsafeSlow(64 * 1024),
  callback(this: Socket, length: number, buffer: Uint8Array): boolean {
    const bytes = Buffer.allocUnsafe(length);
    bytes.set(buffer.subarray(0, length));
    return parseNow(this, bytes) || this.push(bytes);
  },
};

/**
 * How connections to one upstream are made: its certificate is verified, its own name is what TLS
 * asks for, whatever Host header a client sent.
 */
export function connectorOf(upstream: UpstreamConfig): buildConnector.connector {
  const { tls, timeouts } = upstream;
  const connect = buildConnector({
    timeout: timeouts.connect,
    allowH2: false,
    rejectUnauthorized: tls.verify,
    ...(tls.ca === null ? {} : { ca: readFileSync(tls.ca) }),
    keepAlive: true,
    keepAliveInitialDelay: TCP_PROBE_AFTER_MS,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    ...(upstream.url.startsWith('http:') ? { onread: SHARED_READ } : {}),
  });
  return (options, callback) => {
    // An empty name makes undici take the one in the upstream's URL.
    connect({ ...options, servername: '' }, (...result) => {
      const [, socket] = result;
      // Null by its type, undefined in fact, when there is no connection.
      if (!socket) {
        callback(...result);
        return;
      }
      letAnswersSpeak(socket);
      closeForGood(socket);
      callback(...result);
      correctParserOf(socket);
    });
  };
}

/**
 * A server may answer and close before it has read the request (413 to a large upload). Our next
 * write then fails, and Node would destroy the socket with the answer still unread in it. A failed
 * write is therefore kept quiet: what the reading side finds, an answer, an end or a reset, decides.
 */
function letAnswersSpeak(socket: Socket): void {
  const { _write: write, _writev: writev } = Socket.prototype;
  const quiet = (callback: WriteCallback): WriteCallback => {
    return (error) => callback(isClosedByPeer(error) && !socket.destroyed ? null : error);
  };
  socket._write = (chunk, encoding, callback) => write.call(socket, chunk, encoding, quiet(callback));
  if (writev !== undefined) socket._writev = (chunks, callback) => writev.call(socket, chunks, quiet(callback));
}

/**
 * When a request is aborted, undici closes its connection with an error that it takes, later, for a
 * reason to send what was running on it again: it connects anew, and only then sees that nobody waits.
 */
function closeForGood(socket: Socket): void {
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error) => destroy(error?.message === 'aborted' ? new Error('the request was aborted') : error);
}

type WriteCallback = (error?: Error | null) => void;

function isClosedByPeer(error: NodeJS.ErrnoException | null | undefined): boolean {
  return error?.code === 'EPIPE' || error?.code === 'ECONNRESET';
}
