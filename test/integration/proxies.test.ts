import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { hasHaproxy, hasNginx, ProxyOfPage } from '../helpers/proxy-of-page.ts';
import { runningApp } from '../helpers/running-app.ts';
import { tempDir } from '../helpers/temp-dir.ts';

if (!hasNginx)
  process.stderr.write('SKIPPED: no nginx here (apt-get install nginx-light); its settings are not tried\n');
if (!hasHaproxy)
  process.stderr.write('SKIPPED: no haproxy here (apt-get install haproxy); its settings are not tried\n');

const TOKENS = 20;
/** So long a chunk is waited for, where it is not known whether it will come at all. */
const EVERY_MS = 30;
const PATIENCE_MS = 15_000;

/** A client that notes what it has got so far. */
interface Seen {
  deltas: number;
}

/** An engine whose next token waits for something: for its client to have the last one, say. */
async function engine(beforeNext: (sent: number) => Promise<unknown>, headers: Record<string, string> = {}) {
  const event = (delta: object) => `data: ${JSON.stringify({ model: 'm', choices: [{ index: 0, delta }] })}\n\n`;
  const stream = async (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
    for (let sent = 0; sent < TOKENS; ) {
      response.write(event({ content: 'word ' }));
      sent += 1;
      await beforeNext(sent);
    }
    const finish = 'data: {"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
    response.end(`${finish}data: [DONE]\n\n`);
  };
  const server = createServer((request, response) => {
    request.resume().on('end', () => void stream(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A browser would take a compressed answer, so this client does. */
async function ask(origin: string, seen: Seen = { deltas: 0 }): Promise<void> {
  const answer = await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-encoding': 'gzip' },
    body: '{"model":"m","stream":true,"messages":[]}',
  });
  const decoder = new TextDecoder();
  for await (const bytes of answer.body ?? []) {
    seen.deltas += decoder.decode(bytes, { stream: true }).split('"content"').length - 1;
  }
}

/** Every token is sent only when its client has the one before: what buffers would stand still. */
function lockstep(seen: Seen) {
  return (sent: number) => vi.waitFor(() => expect(seen.deltas).toBe(sent), { timeout: PATIENCE_MS, interval: 2 });
}

const paced = () => new Promise((resolve) => setTimeout(resolve, EVERY_MS));
const addressOf = (gateway: { port: number }) => `127.0.0.1:${gateway.port}`;

const PROXIES = [
  ['nginx', hasNginx, (place: { target: string; folder: string }) => ProxyOfPage.nginx(place)],
  ['HAProxy', hasHaproxy, (place: { target: string; folder: string }) => ProxyOfPage.haproxy(place)],
] as const;

describe.each(PROXIES)('%s, set as docs/DEPLOYING.md says', (_name, isHere, start) => {
  it.skipIf(!isHere)('hands on every token as it comes, in front of Pitot', async () => {
    const seen: Seen = { deltas: 0 };
    await using folder = await tempDir();
    await using upstream = await engine(lockstep(seen));
    await using gateway = await runningApp({ upstreams: `http://${upstream.address}` });
    await using proxy = await start({ target: addressOf(gateway), folder: folder.path });
    await ask(proxy.url, seen);
    expect(seen.deltas).toBe(TOKENS);
  });

  it.skipIf(!isHere)('hands on every token as it comes, between Pitot and the engine', async () => {
    const seen: Seen = { deltas: 0 };
    await using folder = await tempDir();
    await using upstream = await engine(lockstep(seen));
    await using proxy = await start({ target: upstream.address, folder: folder.path });
    await using gateway = await runningApp({ upstreams: proxy.url });
    await ask(`http://${addressOf(gateway)}`, seen);
    expect(seen.deltas).toBe(TOKENS);
  });
});

/** As nginx is by itself: it speaks HTTP/1.0 to the server behind it, and fills a buffer before it hands it on. */
const byDefault = (page: string) =>
  page
    .replace(/proxy_buffering off;/, 'proxy_buffering on;')
    .replace(/proxy_http_version 1.1;/, 'proxy_http_version 1.0;');
const compressing = (page: string) =>
  page
    .replace('proxy_buffering off;', 'proxy_buffering on;')
    .replace('gzip off;', 'gzip on; gzip_min_length 0; gzip_proxied any;');

describe.skipIf(!hasNginx)('nginx with what the page warns of', () => {
  it.each([
    ['a buffer', byDefault],
    ['a compressor', compressing],
  ])('has %s hold back a whole answer from the client', async (_case, change) => {
    const seen: Seen = { deltas: 0 };
    const arrivedBefore: number[] = [];
    const noting = async () => {
      await paced();
      arrivedBefore.push(seen.deltas);
    };
    await using folder = await tempDir();
    await using upstream = await engine(noting);
    await using gateway = await runningApp({ upstreams: `http://${upstream.address}` });
    await using proxy = await ProxyOfPage.nginx({ target: addressOf(gateway), folder: folder.path }, change);
    await ask(proxy.url, seen);
    expect(arrivedBefore).toEqual(Array.from({ length: TOKENS }, () => 0));
    expect(seen.deltas).toBe(TOKENS);
  });

  it('lets every token through where the engine says so, in a header that Pitot relays', async () => {
    const seen: Seen = { deltas: 0 };
    await using folder = await tempDir();
    await using upstream = await engine(lockstep(seen), { 'x-accel-buffering': 'no' });
    await using gateway = await runningApp({ upstreams: `http://${upstream.address}` });
    await using proxy = await ProxyOfPage.nginx({ target: addressOf(gateway), folder: folder.path }, byDefault);
    await ask(proxy.url, seen);
    expect(seen.deltas).toBe(TOKENS);
  });

  /** The first of the page's queries, over all there was. */
  async function shareBeforeFirstToken(change?: (page: string) => string): Promise<number> {
    await using folder = await tempDir();
    await using upstream = await engine(paced);
    await using proxy = await ProxyOfPage.nginx({ target: upstream.address, folder: folder.path }, change);
    await using gateway = await runningApp({ upstreams: proxy.url });
    await ask(`http://${addressOf(gateway)}`);
    const text = await vi.waitFor(async () => {
      const scraped = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
      expect(scraped).toMatch(/^pitot_request_duration_seconds_count\{.*\} 1$/m);
      return scraped;
    }, PATIENCE_MS);
    const secondsIn = (phase: string) =>
      [...text.matchAll(new RegExp(`^pitot_request_phase_seconds_total\\{.*phase="${phase}".*\\} (\\S+)$`, 'gm'))]
        .map(([, value]) => Number(value))
        .reduce((sum, value) => sum + value, 0);
    return secondsIn('prefill') / (secondsIn('prefill') + secondsIn('decode'));
  }

  it('is seen in the metrics when it stands between Pitot and the engine', async () => {
    expect(await shareBeforeFirstToken(byDefault)).toBeGreaterThan(0.9);
    expect(await shareBeforeFirstToken()).toBeLessThan(0.5);
  });
});
