import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Expected, type Fault, type Scene, survives } from '../../helpers/faults.ts';
import { chunk, headerOf, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { post, request } from '../../helpers/raw-client.ts';
import type { RawSocket } from '../../helpers/raw-socket.ts';
import { OK } from '../../helpers/raw-upstream.ts';
import { CHAT } from '../../helpers/usage-upstream.ts';

const ASK = post(CHAT, '{"model":"m","stream":true}');
const SSE = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n';
const CHUNKED = `${SSE}Transfer-Encoding: chunked\r\n\r\n`;
const EVENT = 'data: {"model":"m","choices":[{"index":0,"delta":{"content":"token"}}]}\n\n';
const STREAM = `${CHUNKED}${chunk(EVENT)}`;
const LENGTH = `${SSE}Content-Length: 5000\r\n\r\n${EVENT}`;
const FINISH = 'data: {"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';

const WAYS = ['relayed as it is', 'asked for usage'] as const;
const RESET: Expected = { outcome: 'upstream_reset', status: 502, error: 'PITOT_UPSTREAM_RESET', output_tokens: null };
const CUT: Expected = { outcome: 'upstream_reset', status: 200, error: null };
const WHOLE: Expected = { outcome: 'complete', status: 200, error: null };

type Upstream = (connection: RawSocket) => void;

const says =
  (...parts: readonly (string | Buffer)[]): Upstream =>
  (connection) => {
    for (const part of parts) connection.write(part);
  };
const ends =
  (...parts: readonly (string | Buffer)[]): Upstream =>
  (connection) => {
    says(...parts)(connection);
    connection.end();
  };
const resets =
  (...parts: readonly (string | Buffer)[]): Upstream =>
  (connection) => {
    says(...parts)(connection);
    // What was written must be out before the reset takes it back.
    connection.socket.write('', () => setImmediate(() => connection.reset()));
  };

/** Sends the chat, lets the upstream have it and do its worst. */
async function asked(scene: Scene, upstream: Upstream): Promise<RawSocket> {
  const client = await scene.client();
  client.write(ASK);
  const connection = await scene.upstream();
  await connection.message();
  upstream(connection);
  return client;
}

/** The connection that has the next request: a new one, or one that was kept. */
async function nextAsked(scene: Scene): Promise<RawSocket> {
  for (;;) {
    const asked = scene.connections.find(({ received }) => received.includes('\r\n\r\n'));
    if (asked !== undefined) {
      await asked.message();
      return asked;
    }
    await sleep(1);
  }
}

/** What is no answer: the client gets one of ours, and its connection goes on. */
function noAnswer(what: string, upstream: Upstream): Fault {
  return {
    what,
    async play(scene) {
      const client = await asked(scene, upstream);
      const { startLine, headerLines, body } = await client.message();
      expect(startLine).toBe('HTTP/1.1 502 Bad Gateway');
      expect(headerOf(headerLines, 'x-pitot-error')).toBe('PITOT_UPSTREAM_RESET');
      expect(JSON.parse(body.toString()).error.code).toBe('PITOT_UPSTREAM_RESET');
      client.write(request('GET /next?m'));
      const next = await nextAsked(scene);
      next.write(OK);
      expect((await client.message()).body.toString()).toBe('ok');
    },
    records: [RESET, { ...WHOLE, path: '/next' }],
  };
}

/** What breaks off: the client gets all that came, and then sees it broken off. */
function cut(what: string, upstream: Upstream, record: Expected = CUT): Fault {
  return {
    what,
    async play(scene) {
      const client = await asked(scene, upstream);
      await client.closed();
      const wire = client.received.toString('latin1');
      expect(wire).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      if (upstream !== UNTOLD) expect(wire).toContain(EVENT);
      expect(wire.endsWith(LAST_CHUNK)).toBe(false);
      expect(wire).not.toContain('x-pitot-error');
    },
    records: [record],
  };
}
/** A head, and nothing else. */
const UNTOLD = resets(CHUNKED);

const HEADS: readonly Fault[] = [
  noAnswer('a reset before the first byte', resets()),
  noAnswer('a FIN before the first byte', ends()),
  noAnswer('a reset behind the first byte', resets('H')),
  noAnswer('a FIN within the status line', ends('HTTP/1.1 200 O')),
  noAnswer('a reset within the head', resets('HTTP/1.1 200 OK\r\nContent-Type: text/ev')),
  noAnswer('a FIN before the end of the head', ends(SSE)),
  noAnswer('another protocol', says('SSH-2.0-OpenSSH_9.2p1\r\n')),
  noAnswer('a TLS alert', says('\x15\x03\x01\0\x02\x02\x50')),
  noAnswer('a request', says('GET / HTTP/1.1\r\nHost: a\r\n\r\n')),
  noAnswer('an answer of HTTP/0.9', ends('<html>hello</html>')),
  noAnswer('an answer of HTTP/2', says('HTTP/2 200\r\n\r\n')),
  noAnswer('a status of letters', says('HTTP/1.1 abc OK\r\n\r\n')),
  noAnswer('a status of two digits', says('HTTP/1.1 99 OK\r\nContent-Length: 0\r\n\r\n')),
  noAnswer('a status of four digits', says('HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n')),
  noAnswer('a status below any class', says('HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n')),
  noAnswer('a negative status', says('HTTP/1.1 -200 OK\r\nContent-Length: 0\r\n\r\n')),
  noAnswer('a folded line', says(`${SSE}X: a\r\n b\r\nContent-Length: 0\r\n\r\n`)),
  noAnswer('a null byte in a name', says(`${SSE}X\0Y: a\r\nContent-Length: 0\r\n\r\n`)),
  noAnswer('a carriage return in a value', says(`${SSE}X: a\rSet-Cookie: injected=1\r\nContent-Length: 0\r\n\r\n`)),
  noAnswer('a line without a colon', says(`${SSE}injected\r\nContent-Length: 0\r\n\r\n`)),
  noAnswer('two lengths', says(`${SSE}Content-Length: 1\r\nContent-Length: 2\r\n\r\nok`)),
  noAnswer(
    'a length and chunks',
    says(`${SSE}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
  ),
  noAnswer('a negative length', says(`${SSE}Content-Length: -1\r\n\r\n`)),
  noAnswer('a length of letters', says(`${SSE}Content-Length: many\r\n\r\n`)),
  noAnswer('a length beyond all numbers', says(`${SSE}Content-Length: 99999999999999999999\r\n\r\n`)),
  noAnswer(
    'a switch of protocols that nobody asked for',
    says('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
  ),
  noAnswer('a head without end', says(SSE, ...Array<string>(1_000).fill(`X: ${'v'.repeat(100)}\r\n`))),
  noAnswer(
    '100,000 fields',
    says(SSE, Array.from({ length: 100_000 }, (_, number) => `x-${number}: 1\r\n`).join(''), '\r\n'),
  ),
  noAnswer('a field without end', says(`${SSE}X: `, 'v'.repeat(100_000))),
  noAnswer('a reset behind an interim answer', resets('HTTP/1.1 100 Continue\r\n\r\n')),
];

const BODIES: readonly Fault[] = [
  cut('a reset behind the head', UNTOLD),
  ...Object.entries({ 'a reset': resets, 'a FIN': ends }).flatMap(([how, break_]) => [
    cut(`${how} between chunks`, break_(STREAM)),
    cut(`${how} in the size of a chunk`, break_(STREAM, '1')),
    cut(`${how} within a chunk`, break_(STREAM, '1f\r\ndata: {"cho')),
    cut(`${how} behind a chunk, before its line ends`, break_(STREAM, '5\r\ndata:')),
    cut(`${how} before the last empty line`, break_(STREAM, '0\r\n')),
    cut(`${how} short of the length`, break_(LENGTH)),
    cut(`${how} after the finish reason`, break_(STREAM, chunk(FINISH))),
  ]),
  cut('a reset in a body that lasts as long as its connection', resets(`${SSE}\r\n${EVENT}`)),
  cut('a chunk whose size is no number', says(STREAM, 'zz\r\n')),
  cut('a chunk whose size is negative', says(STREAM, '-1\r\n')),
  cut('a chunk whose size is beyond all numbers', says(STREAM, 'fffffffffffffffff\r\n')),
  cut('a chunk whose size ends in a bare line feed', says(STREAM, '5\nhello\r\n')),
  cut('a chunk longer than its size', says(STREAM, '2\r\nhello\r\n')),
  cut('garbage in place of a chunk', says(STREAM, '\0\0\0\0')),
  cut('another answer in place of a chunk', says(STREAM, OK)),
];

const ODD_ENDS: readonly Fault[] = [
  whole('bytes behind a whole answer', says(`${STREAM}${chunk(FINISH)}${LAST_CHUNK}`, OK)),
  whole('a reset behind a whole answer', resets(STREAM, chunk(FINISH), LAST_CHUNK)),
  whole('a FIN behind a whole answer', ends(STREAM, chunk(FINISH), LAST_CHUNK)),
  whole('an answer byte by byte', dripping(`${STREAM}${chunk(FINISH)}${LAST_CHUNK}`)),
  whole(
    'interim answers by the thousand',
    says('HTTP/1.1 102 Processing\r\nX: 1\r\n\r\n'.repeat(5_000), `${STREAM}${chunk(FINISH)}${LAST_CHUNK}`),
  ),
  whole('chunks with extensions', says(STREAM, `${FINISH.length.toString(16)};a=b;c="d"\r\n${FINISH}\r\n`, LAST_CHUNK)),
  whole('trailers', says(STREAM, chunk(FINISH), '0\r\nX-Trailer: 1\r\n\r\n')),
  whole('a body that lasts as long as its connection', ends(`${SSE}\r\n${EVENT}${FINISH}`)),
  {
    what: 'an answer to nothing, on a connection that is kept',
    async play(scene) {
      const client = await asked(scene, says(`${STREAM}${chunk(FINISH)}${LAST_CHUNK}`));
      await client.message();
      // Long enough for the connection to be used again.
      await sleep(40);
      scene.connections[0]?.write('HTTP/1.1 200 OK\r\nX-Poison: 1\r\nContent-Length: 0\r\n\r\n');
      await scene.connections[0]?.closed();
      client.write(request('GET /next?m'));
      const next = await nextAsked(scene);
      next.write(OK);
      expect((await client.message()).headerLines).toEqual(['Content-Length: 2']);
    },
    records: [WHOLE, { ...WHOLE, path: '/next' }],
  },
  {
    what: 'an end without the marker of its API',
    async play(scene) {
      const client = await asked(scene, says(STREAM, LAST_CHUNK));
      expect((await client.message()).body.toString()).toBe(EVENT);
    },
    records: [{ outcome: 'truncated', status: 200 }],
  },
];

/** What is odd, and still an answer. */
function whole(what: string, upstream: Upstream): Fault {
  return {
    what,
    async play(scene) {
      const client = await asked(scene, upstream);
      expect((await client.message()).body.toString()).toBe(`${EVENT}${FINISH}`);
      // Nothing of it is left for the next one.
      client.write(request('GET /next?m'));
      const next = await nextAsked(scene);
      next.write(OK);
      expect((await client.message()).headerLines).toEqual(['Content-Length: 2']);
    },
    records: [WHOLE, { ...WHOLE, path: '/next' }],
  };
}

function dripping(answer: string): Upstream {
  return (connection) => {
    const drip = (at: number): void => {
      connection.write(answer.slice(at, at + 1));
      if (at + 1 < answer.length) setImmediate(() => drip(at + 1));
    };
    drip(0);
  };
}

const EARLY: readonly Fault[] = [
  early('and reads on', () => {}),
  early('and closes', ({ socket }) => socket.destroySoon()),
  early('and resets', (connection) => setImmediate(() => connection.reset())),
  early('and reads no more', ({ socket }) => socket.pause()),
];

/** An answer before the body was read, to a client that goes on sending for as long as it may. */
function early(what: string, then: Upstream): Fault {
  return {
    what: `an answer before the body was read, ${what}`,
    async play(scene) {
      const client = await scene.client();
      client.write(request(`POST ${CHAT}`, ['Content-Length: 9000000'], `{"model":"m","x":"`));
      client.write(Buffer.alloc(200_000, 'x'));
      const connection = await scene.upstream();
      await connection.text('"model"');
      connection.write('HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nno!');
      then(connection);
      client.write(Buffer.alloc(4_000_000, 'x'));
      const { startLine, body } = await client.message();
      expect([startLine, body.toString()]).toEqual(['HTTP/1.1 413 Too Large', 'no!']);
    },
    records: [{ outcome: 'upstream_error', status: 413, error: null }],
  };
}

survives('an upstream that sends no answer', HEADS, WAYS);
survives('an upstream that breaks off', BODIES, WAYS);
survives('an upstream that is odd', ODD_ENDS, WAYS);
survives('an upstream that does not wait', EARLY, WAYS);
