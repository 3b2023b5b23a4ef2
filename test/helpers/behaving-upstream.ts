import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a request may want done with it, in the header `x-do`. */
export type Behaviour = keyof typeof BEHAVIOURS;

const MODEL = 'tiny';
const USAGE = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };

const event = (fields: object) => `data: ${JSON.stringify({ model: MODEL, ...fields })}\n\n`;
const delta = (content: string) => event({ choices: [{ index: 0, delta: { content } }] });
const OPENING = event({ choices: [{ index: 0, delta: { role: 'assistant' } }] });
const FINISH = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function stream(response: ServerResponse, ...events: string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const one of events) response.write(one);
}

/** Two chunks, so that there is a time per token, and at different times. */
function tokens(response: ServerResponse, then: () => void): void {
  stream(response, OPENING, delta('Hello'));
  setTimeout(() => {
    response.write(delta(' there'));
    then();
  }, 5);
}

const BEHAVIOURS = {
  /** A whole stream of three tokens. */
  stream: (response: ServerResponse) =>
    tokens(response, () => response.end(`${FINISH}${event({ choices: [], usage: USAGE })}data: [DONE]\n\n`)),
  /** The same in one piece. */
  once: (response: ServerResponse) =>
    json(response, 200, { model: MODEL, choices: [{ message: { content: 'Hello there' } }], usage: USAGE }),
  /** The head of a stream, its role, and no token. */
  stuck: (response: ServerResponse) => stream(response, OPENING),
  /** Not even a head. */
  silent: () => {},
  /** Tokens, and then no end. */
  endless: (response: ServerResponse) => tokens(response, () => {}),
  'error-in-stream': (response: ServerResponse) =>
    tokens(response, () => response.end(`${event({ error: { message: 'out of memory' } })}data: [DONE]\n\n`)),
  truncated: (response: ServerResponse) => tokens(response, () => response.end()),
  reset: (response: ServerResponse) => tokens(response, () => response.destroy()),
  'reset-at-once': (response: ServerResponse) => response.destroy(),
  '404': (response: ServerResponse) => json(response, 404, { error: { message: 'no such model' } }),
  '429': (response: ServerResponse) => json(response, 429, { error: { message: 'too many requests' } }),
  '500': (response: ServerResponse) => json(response, 500, { error: { message: 'broken' } }),
} as const;

/** A chat server that behaves as each request wants it to; `stream` where it says nothing. */
export async function behavingUpstream() {
  const server = createServer((request: IncomingMessage, response) => {
    request.resume();
    request.on('end', () => {
      const wanted = String(request.headers['x-do'] ?? 'stream');
      BEHAVIOURS[wanted as Behaviour](response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
