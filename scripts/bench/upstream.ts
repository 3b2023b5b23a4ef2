import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerWith } from './conversation.ts';
import { ORDER_HEADER, type Order, wholeAnswer } from './event.ts';
import { Pacer } from './pacer.ts';

/** The paced upstream, a process of its own. It emits what the request's header orders, and can be asked for its port. */

export interface UpstreamAddress {
  readonly port: number;
}

const pacer = new Pacer();

const server = createServer((request, response) => {
  const order = readOrder(request.headers[ORDER_HEADER]);
  request.resume();
  request.once('end', () => {
    if (order === null) response.writeHead(400, { 'content-length': 0 }).end();
    else if (order.kind === 'stream') pacer.start(response, order);
    else answerWhole(response, order.model);
  });
});
// No proxy's pooled connection goes stale during a run.
server.keepAliveTimeout = 0;
server.requestTimeout = 0;

const listening = new Promise<UpstreamAddress>((resolve) => {
  // Thousands of streams are opened in a moment.
  server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => resolve(server.address() as AddressInfo));
});

answerWith(() => listening);

function answerWhole(response: ServerResponse, model: string): void {
  const body = wholeAnswer(model);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
}

function readOrder(header: string | string[] | undefined): Order | null {
  return typeof header === 'string' ? (JSON.parse(header) as Order) : null;
}
