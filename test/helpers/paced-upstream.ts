import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that streams chat chunks at a known rate, on an absolute schedule so that it never drifts. */
export class PacedUpstream implements AsyncDisposable {
  readonly #server: Server;
  readonly #tokensPerChunk: number;
  readonly #everyMs: number;
  /** Tokens reported to clients in usage chunks. */
  reported = 0;

  constructor(options: { everyMs: number; tokensPerChunk: number }) {
    this.#everyMs = options.everyMs;
    this.#tokensPerChunk = options.tokensPerChunk;
    this.#server = createServer((request, response) => {
      const chunks = Number(request.headers['x-chunks'] ?? 10);
      request.resume();
      request.on('end', () => this.#stream(response, chunks));
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #stream(response: ServerResponse, chunks: number): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const startMs = performance.now();
    let sent = 0;
    const next = () => {
      if (response.destroyed) return;
      const due = Math.min(chunks, Math.floor((performance.now() - startMs) / this.#everyMs) + 1);
      for (; sent < due; sent += 1)
        response.write(event({ choices: [{ index: 0, delta: { content: 'abcd'.repeat(this.#tokensPerChunk) } }] }));
      if (sent < chunks) {
        setTimeout(next, Math.max(1, startMs + sent * this.#everyMs - performance.now()));
        return;
      }
      const tokens = chunks * this.#tokensPerChunk;
      this.reported += tokens;
      response.write(event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
      response.write(
        event({ choices: [], usage: { prompt_tokens: 5, completion_tokens: tokens, total_tokens: tokens + 5 } }),
      );
      response.end('data: [DONE]\n\n');
    };
    next();
  }
}

function event(fields: object): string {
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'paced', ...fields })}\n\n`;
}
