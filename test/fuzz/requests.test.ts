import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { cutAt } from '../helpers/cuts.ts';
import { TestGateway } from '../helpers/gateway.ts';
import { chunk, LAST_CHUNK } from '../helpers/http-bytes.ts';
import { post, rawClient, request } from '../helpers/raw-client.ts';
import { OK, RawUpstream } from '../helpers/raw-upstream.ts';
import { law } from './law.ts';
import { edits, mutated } from './mutations.ts';
import { readStrictly } from './strict-request.ts';

const CHAT = '/v1/chat/completions';
const BODY = JSON.stringify({
  model: 'm',
  messages: [{ role: 'user', content: 'Hello, "world" {\\} é' }],
  stream: true,
});
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';

/** Requests as clients send them: what is mutated. */
const REQUESTS: readonly Buffer[] = [
  post(CHAT, BODY),
  post(CHAT, `{"n":${'1'.repeat(3_000)},${BODY.slice(1)}`, ['Expect: 100-continue', 'Connection: keep-alive']),
  request(`POST ${CHAT}`, ['Transfer-Encoding: chunked'], chunked(BODY, 20)),
  request(
    `POST ${CHAT}`,
    ['Transfer-Encoding: chunked', 'Trailer: x-t'],
    `5;ext="a"\r\n{"a":\r\n2\r\n1}\r\n0\r\nX-T: 1\r\n\r\n`,
  ),
  post('/v1/upload', `${SMUGGLED}${SMUGGLED}`),
  request('GET /v1/models', ['Accept: */*', 'Cookie: a=b; c="d"']),
  request('DELETE /api/delete', ['Content-Length: 13'], '{"model":"x"}'),
  request('HEAD /'),
  request('OPTIONS *'),
  request('GET http://other.test//a/../b%2F?x=%zz#f'),
  request('GET /ws', ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']),
  request('GET /h2', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__']),
  Buffer.concat([request('GET /one'), post(CHAT, BODY), request('GET /three', ['Connection: close'])]),
];

/** What desynchronises (RFC 9112 §11.2), leads elsewhere, or ends something early. */
const HOSTILE = [
  ...['\r\n', '\n', '\r', '\r\n\r\n', '\n\n', ' ', '\t', '\x00', '\x0b', '\x7f', '\xff', ':', ',', ';', '#', '%00'],
  ...['Content-Length: 0\r\n', 'Content-Length: 3\r\n', 'Content-Length: +3\r\n', 'Content-Length: 3, 3\r\n'],
  ...['Content-Length : 3\r\n', 'content-length:\t3\r\n', 'Content-Length: 0x3\r\n', 'Content-Length: -1\r\n'],
  ...['Transfer-Encoding: chunked\r\n', 'Transfer-Encoding: identity\r\n', 'Transfer-Encoding:\x0bchunked\r\n'],
  ...[
    'Transfer-Encoding: gzip, chunked\r\n',
    'Transfer-Encoding: chunked, chunked\r\n',
    'Transfer-Encoding:\r\n chunked\r\n',
  ],
  ...['Connection: close\r\n', 'Connection: content-length\r\n', 'Connection: transfer-encoding, host\r\n'],
  ...[
    'Upgrade: h2c\r\n',
    'Upgrade: websocket\r\n',
    'Connection: upgrade\r\n',
    'Expect: 100-continue\r\n',
    'Expect: x\r\n',
  ],
  ...['Host: other.test\r\n', 'Host:\r\n', ' folded\r\n', 'X: a\nInjected: b\r\n', 'X: a\rInjected: b\r\n'],
  ...[
    'HTTP/1.0',
    'HTTP/0.9',
    'HTTP/2.0',
    'HTTP/1.1',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'CONNECT other.test:80 HTTP/1.1\r\n',
  ],
  ...['http://other.test/', '//other.test/', 'https://a@b:1/', '/../', '\\', SMUGGLED, `0\r\n\r\n${SMUGGLED}`],
  ...['0\r\n\r\n', '0\r\n', '1\r\na\r\n', 'fffffffffffffffff\r\n', '-1\r\n', '5;a=b\r\n', '05\r\n', '5\n'],
];

/** The ways in which a request passes the gateway: each holds, reads or changes its body in its own manner. */
const WAYS = {
  'as it is': { usage: 'never' },
  'asked for usage': { engine: 'vllm' },
  'routed by its model': { usage: 'never', match: { model: '*m*' } },
} as const;

const PAUSE_MS = 12;

const recipe = fc.record({
  request: fc.nat(REQUESTS.length - 1),
  edits: edits(HOSTILE, 5),
  cuts: fc.array(fc.nat(4_000), { maxLength: 4 }),
  /** Between the pieces. */
  pauseMs: fc.constantFrom(0, 0, 2),
  leave: fc.constantFrom<'end' | 'reset'>('end', 'reset'),
});

function chunked(body: string, bytes: number): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += bytes) pieces.push(chunk(body.slice(at, at + bytes)));
  return Buffer.concat([...pieces, Buffer.from(LAST_CHUNK)]);
}

describe.each(Object.entries(WAYS))('a request that is %s', (_name, way) => {
  let upstream: RawUpstream;
  let gateway: TestGateway;
  /** What the upstream was asked since the last look, strictly read. */
  let asked: string[] = [];
  let faults: string[] = [];

  beforeAll(async () => {
    upstream = await RawUpstream.start(async (connection) => {
      const message = await connection.until(() => {
        try {
          const found = readStrictly(connection.received);
          return found?.wireBytes === null ? null : found;
        } catch (error) {
          faults.push(String(error));
          return { method: '', target: '', headers: [], wireBytes: 0 };
        }
      });
      asked.push(`${message.method} ${message.target.split('?')[0]}`);
      const host = message.headers.find(([name]) => name === 'host')?.[1];
      if (host !== `127.0.0.1:${upstream.port}`) faults.push(`host ${host}`);
      const behind = connection.received.length - (message.wireBytes ?? 0);
      if (behind > 0) faults.push(`${behind} bytes behind a request: ${connection.received.toString('latin1')}`);
      connection.write(message.method === 'HEAD' ? OK.slice(0, -2) : OK);
      connection.end();
    });
    gateway = await TestGateway.start({ url: upstream.url, keep_alive: 0, ...way });
  });

  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  });

  law(
    'is one request to the upstream, whoever reads it, or none: and the next one works',
    150,
    fc.asyncProperty(recipe, async ({ request: number, edits: changes, cuts, pauseMs, leave }) => {
      asked = [];
      faults = [];
      const before = gateway.records.length;
      const bytes = mutated(REQUESTS[number] ?? Buffer.alloc(0), changes);
      {
        await using client = await rawClient(gateway.port);
        for (const piece of cutAt(bytes, cuts)) {
          client.write(Buffer.from(piece));
          if (pauseMs > 0) await sleep(pauseMs);
        }
        await sleep(PAUSE_MS);
        if (leave === 'end') client.end();
        else client.reset();
        await Promise.race([client.closed(), sleep(PAUSE_MS)]);
      }
      await expect.poll(() => gateway.status().inFlight, { interval: 2 }).toBe(0);
      const sent = `of ${JSON.stringify(bytes.toString('latin1', 0, 2_000))}`;
      const known = gateway.records.slice(before).map(({ method, path }) => `${method} ${path}`);
      expect(faults, sent).toEqual([]);
      expect(without(asked, known), `${sent}, known: ${known.join(', ')}`).toEqual([]);
      await using after = await rawClient(gateway.port);
      after.write(post('/after/m', '{"model":"m"}'));
      expect((await after.message()).startLine, sent).toBe('HTTP/1.1 200 OK');
    }),
  );
});

/** What of the list is not in the other, each of which counts once. */
function without(list: readonly string[], other: readonly string[]): string[] {
  const left = [...other];
  return list.filter((item) => {
    const at = left.indexOf(item);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
