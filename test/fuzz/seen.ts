import { type IncomingMessage, request } from 'node:http';

/** What a client made of an answer: node:http's own parser, and nothing forgiven. */
export interface Seen {
  /** 0: there was no answer that could be read. */
  status: number;
  reason: string;
  /** Names and values in turn, as they were sent. */
  headers: readonly string[];
  body: Buffer;
  /** It ended as its framing said it would. */
  isWhole: boolean;
}

const PATIENCE_MS = 10_000;
const NOTHING: Seen = { status: 0, reason: '', headers: [], body: Buffer.alloc(0), isWhole: false };

/** Posts one request over a connection of its own. Rejects only when nothing comes to an end. */
export function ask(port: number, path: string, body: string): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no end of an answer to ${path}`)), PATIENCE_MS);
    const done = (seen: Seen) => {
      clearTimeout(timer);
      resolve(seen);
    };
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request({ host: '127.0.0.1', port, path, method: 'POST', agent: false, headers, maxHeaderSize });
    sent.on('response', (answer) => read(answer, done));
    sent.on('upgrade', (_answer, socket) => {
      socket.destroy();
      done(NOTHING);
    });
    sent.on('error', () => done(NOTHING));
    sent.end(body);
  });
}

/** As much as the gateway takes. */
const maxHeaderSize = 64 * 1_024;

function read(answer: IncomingMessage, done: (seen: Seen) => void): void {
  const parts: Buffer[] = [];
  let isOver = false;
  const end = (isWhole: boolean) => {
    if (isOver) return;
    isOver = true;
    const { statusCode: status = 0, statusMessage: reason = '', rawHeaders: headers } = answer;
    done({ status, reason, headers, body: Buffer.concat(parts), isWhole });
  };
  answer.on('data', (bytes: Buffer) => parts.push(bytes));
  answer.on('end', () => end(answer.complete));
  answer.on('error', () => end(false));
  answer.on('close', () => end(false));
}
