import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RecordedAnswer {
  status: number;
  contentType: string;
  body: Uint8Array;
  /** Bytes a write; the whole body at once when absent. */
  cut?: number;
}

/** What a server was asked. */
export interface ReceivedRequest {
  method: string;
  target: string;
  body: string;
}

/** Serves one recorded answer to every request, in writes of a chosen size. The answer can be exchanged. */
export class RecordedUpstream implements AsyncDisposable {
  answer: RecordedAnswer;
  requests: ReceivedRequest[] = [];
  readonly #server: Server;

  constructor(answer: RecordedAnswer) {
    this.answer = answer;
    this.#server = createServer(async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece);
      const { method = '', url: target = '' } = request;
      this.requests.push({ method, target, body: Buffer.concat(pieces).toString() });
      const { status, contentType, body, cut = body.length } = this.answer;
      response.writeHead(status, { 'content-type': contentType });
      for (let at = 0; at < body.length; at += cut) {
        response.write(body.subarray(at, at + cut));
        if (cut < body.length) await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
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
}
