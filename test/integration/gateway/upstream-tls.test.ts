import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { rawClient, request } from '../../helpers/raw-client.ts';

const CA = new URL('../../fixtures/tls/localhost.pem', import.meta.url).pathname;
const KEY = new URL('../../fixtures/tls/localhost.key', import.meta.url).pathname;

/** An HTTPS server with a certificate for `localhost` that no common authority signed. */
async function tlsUpstream() {
  const names: string[] = [];
  const server = createServer({ cert: readFileSync(CA), key: readFileSync(KEY) }, (incoming, response) => {
    names.push(`${'servername' in incoming.socket ? incoming.socket.servername : ''} ${incoming.headers.host}`);
    response.end('secret');
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    names,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answerOf(url: string, keys: Record<string, unknown>) {
  await using gateway = await TestGateway.start({ url, ...keys });
  await using client = await rawClient(gateway.port);
  client.write(request('GET /', ['Host: client.example']));
  const answer = await client.message();
  return { ...answer, outcome: (await gateway.record()).outcome };
}

test('a certificate that nobody vouches for is refused', async () => {
  await using upstream = await tlsUpstream();
  const { headerLines, outcome, body } = await answerOf(`https://localhost:${upstream.port}`, {});
  expect(headerLines).toContain('x-pitot-error: PITOT_UPSTREAM_UNREACHABLE');
  expect(body.toString()).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
  expect(outcome).toBe('upstream_unreachable');
  expect(upstream.names).toEqual([]);
});

test('with its authority configured it is accepted', async () => {
  await using upstream = await tlsUpstream();
  const url = `https://localhost:${upstream.port}`;
  const { body } = await answerOf(url, { tls: { ca: CA } });
  expect(body.toString()).toBe('secret');
  expect(upstream.names).toEqual([`localhost localhost:${upstream.port}`]);
});

test('a certificate for another name is refused', async () => {
  await using upstream = await tlsUpstream();
  const { headerLines } = await answerOf(`https://127.0.0.1:${upstream.port}`, { tls: { ca: CA } });
  expect(headerLines).toContain('x-pitot-error: PITOT_UPSTREAM_UNREACHABLE');
});

test('only verify: false accepts any', async () => {
  await using upstream = await tlsUpstream();
  const { body } = await answerOf(`https://127.0.0.1:${upstream.port}`, { tls: { verify: false } });
  expect(body.toString()).toBe('secret');
});

test('a preserved Host header does not choose the name that TLS verifies', async () => {
  await using upstream = await tlsUpstream();
  const url = `https://localhost:${upstream.port}`;
  const { body } = await answerOf(url, { tls: { ca: CA }, preserve_host: true });
  expect(body.toString()).toBe('secret');
  expect(upstream.names).toEqual(['localhost client.example']);
});
