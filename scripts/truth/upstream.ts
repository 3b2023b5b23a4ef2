import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerWith } from '../bench/conversation.ts';
import { nowUs } from '../bench/event.ts';
import { FIRST_CHUNK, lastChunks, tokenChunk } from './answer-bytes.ts';
import { Emissions, type Written } from './emissions.ts';
import { chunksOf, dueMs, ORDER_HEADER, type Order, tokensOfChunk } from './order.ts';

/** The upstream, a process of its own: it writes what is ordered, and tells what it wrote. */

export interface Span {
  readonly fromUs: number;
  readonly toUs: number;
}

export type UpstreamQuestion =
  | { readonly kind: 'address' }
  /** Tokens written in each span, and answers in flight at each moment. */
  | { readonly kind: 'looked at'; readonly spans: readonly Span[]; readonly momentsUs: readonly number[] }
  /** All answers that ended since this was asked last. */
  | { readonly kind: 'written' };

export interface UpstreamAddress {
  readonly port: number;
}

export interface Truth {
  readonly tokens: readonly number[];
  readonly inFlight: readonly number[];
  /** How late the writes were, since this was asked last; null without any. */
  readonly lateP99Us: number | null;
}

class Answer {
  readonly #response: ServerResponse;
  readonly #order: Order;
  readonly #id: string;
  readonly #chunks: number;
  readonly #readUs = nowUs();
  #next = 0;
  #tokens = 0;
  #firstUs: number | null = null;
  #lastUs: number | null = null;
  #longestGapUs = 0;
  #isOver = false;

  constructor(response: ServerResponse, order: Order, id: string) {
    this.#response = response;
    this.#order = order;
    this.#id = id;
    this.#chunks = chunksOf(order);
    emissions.opened(this.#readUs);
    response.once('close', () => this.#end('left'));
    response.writeHead(200, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' });
    response.flushHeaders();
    // The chunks come framed: one write each.
    response.chunkedEncoding = false;
    response.write(FIRST_CHUNK);
  }

  /** Writes what is due. */
  writeDue(): void {
    for (let atUs = nowUs(); !this.#isOver; atUs = nowUs()) {
      const dueUs = this.#readUs + 1000 * dueMs(this.#order, this.#next);
      if (dueUs > atUs) return;
      this.#write(atUs, atUs - dueUs);
    }
  }

  #write(atUs: number, lateUs: number): void {
    const tokens = tokensOfChunk(this.#order, this.#next);
    // Past Node's own response, whose writes cost as much again: the upstream must not become the bottleneck.
    this.#response.socket?.write(tokenChunk(this.#order, this.#next));
    emissions.add(tokens, atUs, lateUs);
    this.#tokens += tokens;
    if (this.#lastUs !== null) this.#longestGapUs = Math.max(this.#longestGapUs, atUs - this.#lastUs);
    this.#firstUs ??= atUs;
    this.#lastUs = atUs;
    this.#next += 1;
    if (this.#next < this.#chunks) return;
    const isCut = this.#order.cutAfterChunks === this.#chunks;
    this.#end(isCut ? 'cut' : 'whole');
    // What was written goes out, the end of the body is missing.
    if (isCut) this.#response.socket?.destroySoon();
    else this.#response.end(lastChunks(this.#order));
  }

  #end(end: Written['end']): void {
    if (this.#isOver) return;
    this.#isOver = true;
    running.delete(this);
    const times = { readUs: this.#readUs, firstUs: this.#firstUs, lastUs: this.#lastUs };
    const counts = { tokens: this.#tokens, chunks: this.#next, longestGapUs: this.#longestGapUs };
    emissions.ended({ id: this.#id, ...counts, ...times, endedUs: nowUs(), end });
  }
}

const emissions = new Emissions(nowUs());
const running = new Set<Answer>();
setInterval(() => {
  for (const answer of running) answer.writeDue();
}, 1);

const server = createServer((request, response) => {
  const { [ORDER_HEADER]: order, 'x-request-id': id } = request.headers;
  request.resume();
  request.once('end', () => {
    if (typeof order !== 'string' || typeof id !== 'string') response.writeHead(400, { 'content-length': 0 }).end();
    else running.add(new Answer(response, JSON.parse(order) as Order, id));
  });
});
// No pooled connection goes stale during a run.
server.keepAliveTimeout = 0;
server.requestTimeout = 0;

const listening = new Promise<UpstreamAddress>((resolve) => {
  server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => resolve(server.address() as AddressInfo));
});

answerWith<UpstreamQuestion>((question) => {
  switch (question.kind) {
    case 'address':
      return listening;
    case 'looked at':
      return {
        tokens: question.spans.map(({ fromUs, toUs }) => emissions.between(fromUs, toUs)),
        inFlight: question.momentsUs.map((atUs) => emissions.inFlight(atUs)),
        lateP99Us: emissions.takeLateness(0.99),
      };
    case 'written':
      return emissions.written.splice(0);
    default:
      return question satisfies never;
  }
});
