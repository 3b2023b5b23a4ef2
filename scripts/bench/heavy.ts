import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { answerWith } from './conversation.ts';
import type { Target } from './load-user.ts';

/** A server and a client that send and take as much as they can, in one process of their own: the neighbours of others. */

export type HeavyKind = 'stopped reader' | 'flood' | 'upload';
export type HeavyQuestion =
  | { readonly kind: 'listen' }
  | { readonly kind: 'begin'; readonly what: HeavyKind; readonly through: Target }
  | { readonly kind: 'end' };

/** Whole answers and uploads, as far as the client's side saw them. */
export interface HeavyAnswer {
  readonly port: number;
  readonly done: number;
}

const MEBIBYTE = 2 ** 20;
const PART = Buffer.alloc(MEBIBYTE, 'x');
const ANSWER_PARTS = 500;
const UPLOAD_PARTS = 200;
const OK = 'HTTP/1.1 200 OK';

// The machines of such neighbours are others: what they cost this one is not to be measured.
setPriority(10);

let client: Socket | null = null;
let done = 0;

const server = createServer((request, response) => {
  if (request.method === 'GET') flood(response);
  else swallow(request, response);
});
server.requestTimeout = 0;

const listening = new Promise<AddressInfo>((resolve) => {
  server.listen({ host: '127.0.0.1', port: 0 }, () => resolve(server.address() as AddressInfo));
});

answerWith<HeavyQuestion>(async (question) => {
  const { port } = await listening;
  switch (question.kind) {
    case 'listen':
      break;
    case 'begin':
      done = 0;
      client = begin(question.what, question.through);
      break;
    case 'end':
      client?.destroy();
      break;
    default:
      return question satisfies never;
  }
  return { port, done };
});

function flood(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': ANSWER_PARTS * PART.length });
  let sent = 0;
  const send = () => {
    while (sent < ANSWER_PARTS && !response.destroyed) {
      sent += 1;
      if (!response.write(PART)) {
        response.once('drain', send);
        return;
      }
    }
    response.end();
  };
  send();
}

function swallow(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  request.once('end', () => response.writeHead(200, { 'content-length': 0 }).end());
}

/** Again and again, until it is closed. */
function begin(what: HeavyKind, { host, port }: Target): Socket {
  const socket = connect({ host, port });
  socket.on('error', () => {});
  const ask = () => {
    if (what === 'upload') upload(socket);
    else socket.write('GET /heavy/flood HTTP/1.1\r\nHost: bench\r\n\r\n');
  };
  socket.once('connect', ask);
  let left = what === 'upload' ? 0 : ANSWER_PARTS * PART.length;
  socket.on('data', (bytes) => {
    const text = bytes.toString('latin1', 0, 64);
    if (text.startsWith(OK) && what === 'stopped reader') socket.pause();
    const isHead = text.startsWith(OK);
    left -= isHead ? bytes.length - bytes.indexOf('\r\n\r\n') - 4 : bytes.length;
    if (left > 0) return;
    done += 1;
    left = what === 'upload' ? 0 : ANSWER_PARTS * PART.length;
    ask();
  });
  return socket;
}

/** What tells how it should be read comes last. */
function upload(socket: Socket): void {
  const start = '{"messages":["';
  const end = '"],"model":"bench","stream":true}';
  const length = start.length + UPLOAD_PARTS * PART.length + end.length;
  socket.write(`POST /heavy/v1/chat/completions HTTP/1.1\r\nHost: bench\r\nContent-Length: ${length}\r\n\r\n${start}`);
  let sent = 0;
  const send = () => {
    while (sent < UPLOAD_PARTS && !socket.destroyed) {
      sent += 1;
      if (!socket.write(PART)) {
        socket.once('drain', send);
        return;
      }
    }
    socket.write(end);
  };
  send();
}
