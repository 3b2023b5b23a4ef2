import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGzip } from 'node:zlib';
import type { Plan } from './plan.ts';
import { shapeOf, tokensOf } from './shapes.ts';

/** How long an answer is held that a client will not wait for, or that nobody should. */
const HELD_MS = 1_500;

/** The upstream: does with every request what its plan says, on one port that it keeps over its restarts. */
export class Engine {
  /** Requests whose arrival somebody waits for, by id. */
  readonly #awaited = new Map<string, () => void>();
  /** Output tokens that this engine told, by id. */
  readonly told = new Map<string, number>();
  port = 0;
  restarts = 0;
  #server: Server = this.#create();

  async start(): Promise<void> {
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
  }

  /** Every connection breaks, and for a while nobody answers. */
  async restart(downMs: number): Promise<void> {
    this.restarts += 1;
    await this.stop();
    await new Promise((resolve) => setTimeout(resolve, downMs));
    this.#server = this.#create();
    await this.start();
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  /** Calls back when this request has arrived. */
  onArrival(id: string, act: () => void): void {
    this.#awaited.set(id, act);
  }

  /** Nobody waits any more. */
  forget(id: string): void {
    this.#awaited.delete(id);
  }

  #create(): Server {
    // Longer than Pitot keeps a connection, as it should be.
    return createServer({ keepAliveTimeout: 10_000 }, (request, response) => this.#take(request, response));
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const plan = JSON.parse(String(request.headers['x-soak'])) as Plan;
    this.#awaited.get(plan.id)?.();
    response.on('error', () => {});
    const parts: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (bytes: Buffer) => parts.push(bytes));
    request.on('end', () => {
      if (plan.fate === 'reset-before') request.socket.resetAndDestroy();
      else if (plan.fate === 'refuse') refuse(response);
      else if (plan.fate !== 'silent')
        this.#answer(plan, response, Buffer.concat(parts).includes('"include_usage":true'));
    });
  }

  #answer(plan: Plan, response: ServerResponse, isAsked: boolean): void {
    const isHeld = plan.leaves === 'prefill';
    if (isHeld) {
      setTimeout(() => this.#answer({ ...plan, leaves: null }, response, isAsked), HELD_MS);
      return;
    }
    if (response.destroyed) return;
    const shape = shapeOf(plan, isAsked);
    const encoding = plan.isGzipped ? { 'content-encoding': 'gzip' } : {};
    const isStreamed = plan.isStreamed && shape.parts.length > 0;
    response.writeHead(200, { 'content-type': isStreamed ? shape.contentType : 'application/json', ...encoding });
    const out = plan.isGzipped ? createGzip() : response;
    if (out !== response) {
      out.on('error', () => {});
      out.pipe(response);
    }
    if (!isStreamed) {
      if (generates(plan)) this.told.set(plan.id, tokensOf(plan));
      out.end(shape.whole);
      return;
    }
    const events = [...shape.opening, ...shape.parts];
    const write = (event: string) => {
      out.write(event);
      // Each event leaves the compressor, as servers of streams do it.
      if ('flush' in out) out.flush();
    };
    this.#stream(events, {
      plan,
      response,
      write,
      end: () => this.#end(plan, shape.closing, { isAsked, write, response, out }),
    });
  }

  #stream(
    events: readonly string[],
    to: { plan: Plan; response: ServerResponse; write: (event: string) => void; end: () => void },
  ): void {
    const { plan, response, write, end } = to;
    // What goes wrong goes wrong half way through.
    const stopAt = ['reset-after', 'stall', 'truncate', 'error-in-stream'].includes(plan.fate)
      ? events.length / 2
      : events.length;
    let at = 0;
    const next = () => {
      if (response.destroyed) return;
      const until = plan.everyMs === 0 ? stopAt : Math.min(stopAt, at + 1);
      for (; at < until; at += 1) write(events[at] ?? '');
      if (at < stopAt) setTimeout(next, plan.everyMs);
      else end();
    };
    next();
  }

  #end(
    plan: Plan,
    closing: readonly string[],
    by: { isAsked: boolean; write: (event: string) => void; response: ServerResponse; out: NodeJS.WritableStream },
  ): void {
    switch (plan.fate) {
      case 'stall':
        return;
      case 'reset-after':
        // What was written is on its way before.
        setTimeout(() => by.response.socket?.resetAndDestroy(), 2);
        return;
      case 'truncate':
        by.out.end();
        return;
      case 'error-in-stream':
        by.write('data: {"error":{"message":"out of memory","code":500}}\n\n');
        by.out.end();
        return;
      default:
        if (by.isAsked || !['chat', 'completions'].includes(plan.api)) this.told.set(plan.id, tokensOf(plan));
        for (const event of closing) by.write(event);
        by.out.end();
    }
  }
}

const generates = ({ api }: Plan): boolean => api !== 'embeddings' && api !== 'models';

function refuse(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'application/json' });
  response.end('{"error":{"message":"there is no such model","type":"invalid_request_error"}}');
}
