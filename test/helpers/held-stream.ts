import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server whose chat streams go on as the test says. */
export async function chatUpstream() {
  const waiting: ((response: ServerResponse) => void)[] = [];
  const server = createServer((asked, response) => {
    asked.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      waiting.shift()?.(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** One streamed chat request through a gateway; resolves when its answer has begun. */
    async ask(port: number, { user, model }: { user: string; model: string }) {
      const begun = new Promise<ServerResponse>((resolve) => waiting.push(resolve));
      const headers = { 'content-type': 'application/json', 'x-user-id': user };
      const place = { host: '127.0.0.1', port, path: '/v1/chat/completions', method: 'POST', headers, agent: false };
      const sent = request(place, (answer) => answer.resume().on('error', () => {}));
      sent.on('error', () => {});
      sent.end(JSON.stringify({ model, stream: true, messages: [] }));
      const response = await begun;
      return {
        tokens(count: number) {
          for (let token = 0; token < count; token += 1)
            response.write(
              `data: ${JSON.stringify({ model, choices: [{ index: 0, delta: { content: 'four' } }] })}\n\n`,
            );
        },
        /** In the middle of the answer's framing. */
        breakOff: () => response.destroy(),
        leave: () => sent.destroy(),
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
