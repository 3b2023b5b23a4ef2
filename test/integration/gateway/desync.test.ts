import { afterAll, beforeEach, expect, test } from 'vitest';
import { type Expected, type Fault, survives } from '../../helpers/faults.ts';
import { chunk, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { request } from '../../helpers/raw-client.ts';
import { PeerGone, type RawSocket } from '../../helpers/raw-socket.ts';
import { RawUpstream } from '../../helpers/raw-upstream.ts';
import { CHAT } from '../../helpers/usage-upstream.ts';

/** Another server, which must never hear of us. */
const elsewhere = await RawUpstream.start();
const ELSEWHERE = `127.0.0.1:${elsewhere.port}`;
afterAll(() => elsewhere[Symbol.asyncDispose]());

const WAYS = ['relayed as it is', 'asked for usage'] as const;
const HOST = 'Host: gateway.test\r\n';
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
const WEBSOCKET = `GET /smuggled HTTP/1.1\r\n${HOST}Connection: upgrade\r\nUpgrade: websocket\r\n\r\n`;
const CONNECT = `CONNECT ${ELSEWHERE} HTTP/1.1\r\n${HOST}\r\n`;
const JSON_BODY = '{"model":"m"}';
const WHOLE: Expected = { outcome: 'complete', status: 200, error: null };

/** What reached the upstream in this scene: requests, as a strict reader finds them, and what else there was. */
const reached: { requests: string[]; rest: string[] } = { requests: [], rest: [] };
beforeEach(() => {
  reached.requests = [];
  reached.rest = [];
});

async function strictReader(connection: RawSocket): Promise<void> {
  try {
    for (;;) {
      const { startLine, headerLines, body } = await connection.message();
      reached.requests.push(startLine);
      const said = JSON.stringify({ headerLines, body: body.toString('latin1') });
      connection.write(`HTTP/1.1 200 OK\r\nContent-Length: ${said.length}\r\n\r\n${said}`);
    }
  } catch (error) {
    if (!(error instanceof PeerGone)) throw error;
    if (connection.received.length > 0) reached.rest.push(connection.received.toString('latin1'));
  }
}

/** No request at all: the client is told so, its connection ends, and the upstream hears nothing. */
function refused(what: string, sent: string | Buffer, status = '400 Bad Request'): Fault {
  return {
    what,
    upstream: strictReader,
    async play(scene) {
      const client = await scene.client();
      client.write(sent);
      expect((await client.message({ isEnded: true })).startLine).toBe(`HTTP/1.1 ${status}`);
      await client.closed();
      expect(scene.connections).toHaveLength(0);
    },
    records: [],
  };
}

/** One request and no other, which goes to the upstream as this. */
function passes(what: string, sent: string | Buffer, reaches: string): Fault {
  return {
    what,
    upstream: strictReader,
    async play(scene) {
      const client = await scene.client();
      client.write(sent);
      const { startLine, body } = await client.message();
      expect(startLine).toBe('HTTP/1.1 200 OK');
      const said: { headerLines: string[]; body: string } = JSON.parse(body.toString());
      expect(
        said.headerLines.filter((line) => /^(x-smuggled|x-injected|transfer-encoding: (?!chunked$))/i.test(line)),
      ).toEqual([]);
      expect(reached).toEqual({ requests: [reaches], rest: [] });
    },
    records: [WHOLE],
  };
}

/** A request whose body turns out to be no body: it is aborted, and what follows goes nowhere. */
function aborted(what: string, head: string, body: string): Fault {
  return {
    what,
    upstream: strictReader,
    async play(scene) {
      const client = await scene.client();
      const before = scene.gateway.records.length;
      client.write(`POST ${CHAT} HTTP/1.1\r\n${HOST}${head}\r\n\r\n${body}`);
      await scene.gateway.record(before);
      for (const connection of scene.connections) await connection.closed();
      expect(reached.requests).toEqual([]);
      expect(reached.rest.join()).not.toContain('smuggled');
    },
    records: [{ outcome: 'client_aborted', status: 499 }],
  };
}

const posted = (...lines: readonly string[]) => `POST ${CHAT} HTTP/1.1\r\n${HOST}${lines.join('\r\n')}\r\n\r\n`;
const TE = 'Transfer-Encoding: chunked';
const LENGTH = `Content-Length: ${JSON_BODY.length}`;
const CHUNKS = `${chunk(JSON_BODY)}${LAST_CHUNK}`;
const POST_LINE = `POST ${CHAT} HTTP/1.1`;

const FRAMINGS: readonly Fault[] = [
  refused('a length and chunks', `${posted(LENGTH, TE)}${CHUNKS}${SMUGGLED}`),
  refused('chunks and a length', `${posted(TE, LENGTH)}${CHUNKS}${SMUGGLED}`),
  refused('chunks and a length of 0', `${posted(TE, 'Content-Length: 0')}${CHUNKS}${SMUGGLED}`),
  refused('two lengths that differ', `${posted('Content-Length: 5', 'Content-Length: 6')}hello!${SMUGGLED}`),
  refused('two lengths that agree', `${posted('Content-Length: 5', 'Content-Length: 5')}hello${SMUGGLED}`),
  refused('a list of lengths', `${posted('Content-Length: 5, 6')}hello!${SMUGGLED}`),
  refused('a list of equal lengths', `${posted('Content-Length: 5, 5')}hello${SMUGGLED}`),
  refused('a length with a sign', `${posted('Content-Length: +5')}hello${SMUGGLED}`),
  refused('a negative length', `${posted('Content-Length: -5')}${SMUGGLED}`),
  refused('a length in hex', `${posted('Content-Length: 0x5')}hello${SMUGGLED}`),
  refused('an empty length', `${posted('Content-Length:')}${SMUGGLED}`),
  refused('a length beyond all numbers', `${posted('Content-Length: 18446744073709551621')}hello${SMUGGLED}`),
  refused('a length with letters behind', `${posted('Content-Length: 5a')}hello${SMUGGLED}`),
  refused('a length with a space in it', `${posted('Content-Length: 1 3')}${JSON_BODY}${SMUGGLED}`),
  refused('a coding that is not the last', `${posted('Transfer-Encoding: chunked, identity')}${CHUNKS}${SMUGGLED}`),
  refused('a coding before it', `${posted('Transfer-Encoding: gzip, chunked')}${CHUNKS}${SMUGGLED}`),
  refused('a coding before it, and a WebSocket', `${posted('Transfer-Encoding: gzip, chunked')}${CHUNKS}${WEBSOCKET}`),
  refused('a coding before it, and a CONNECT', `${posted('Transfer-Encoding: gzip, chunked')}${CHUNKS}${CONNECT}`),
  refused('the coding twice', `${posted(TE, TE)}${CHUNKS}${SMUGGLED}`),
  refused('the coding twice in a list', `${posted('Transfer-Encoding: chunked, chunked')}${CHUNKS}${SMUGGLED}`),
  refused('a coding that nobody knows', `${posted('Transfer-Encoding: xchunked')}${CHUNKS}${SMUGGLED}`),
  refused('the coding identity', `${posted('Transfer-Encoding: identity')}${SMUGGLED}`),
  refused('an empty coding', `${posted('Transfer-Encoding:')}${SMUGGLED}`),
  refused('the coding in quotes', `${posted('Transfer-Encoding: "chunked"')}${CHUNKS}${SMUGGLED}`),
  refused('the coding behind a vertical tab', `${posted('Transfer-Encoding: \x0bchunked')}${CHUNKS}${SMUGGLED}`),
  refused('the coding with a parameter', `${posted('Transfer-Encoding: chunked;q=1')}${CHUNKS}${SMUGGLED}`),
  refused('a space before the colon', `${posted('Transfer-Encoding : chunked')}${CHUNKS}${SMUGGLED}`),
  refused('a tab before the colon', `${posted('Content-Length\t: 5')}hello${SMUGGLED}`),
  refused('a folded coding', `${posted('Transfer-Encoding:\r\n chunked')}${CHUNKS}${SMUGGLED}`),
  refused('a folded length', `${posted('Content-Length:\r\n\t5')}hello${SMUGGLED}`),
  refused('a fold in any field', `${posted('X-A: a\r\n b')}`),
  refused('a fold before the first field', `POST / HTTP/1.1\r\n Host: a\r\n\r\n`),
  refused('chunks to HTTP/1.0', `POST ${CHAT} HTTP/1.0\r\n${HOST}${TE}\r\n\r\n${CHUNKS}${SMUGGLED}`),
  passes('the coding in capitals', `${posted('TRANSFER-ENCODING: CHUNKED')}${CHUNKS}`, POST_LINE),
  passes('the coding behind a tab', `${posted('Transfer-Encoding:\tchunked')}${CHUNKS}`, POST_LINE),
  passes('a request within a body', `${posted(`Content-Length: ${SMUGGLED.length}`)}${SMUGGLED}`, POST_LINE),
  passes('a request within a chunk', `${posted(TE)}${chunk(SMUGGLED)}${LAST_CHUNK}`, POST_LINE),
  passes(
    'a body to GET',
    `GET /x?m HTTP/1.1\r\n${HOST}Content-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
    'GET /x?m HTTP/1.1',
  ),
  passes('a request behind the last', `${posted('Connection: close', LENGTH)}${JSON_BODY}${SMUGGLED}`, POST_LINE),
  passes('a request behind the last of HTTP/1.0', `GET /x?m HTTP/1.0\r\n\r\n${SMUGGLED}`, 'GET /x?m HTTP/1.1'),
  passes('blank lines before the request', `\r\n\r\n${posted(LENGTH)}${JSON_BODY}`, POST_LINE),
];

const LINES: readonly Fault[] = [
  refused('bare line feeds for line ends', `GET / HTTP/1.1\nHost: a\n\n${SMUGGLED}`),
  refused('a bare line feed behind the request line', `GET / HTTP/1.1\n${HOST}\r\n`),
  refused('a bare line feed behind a field', `GET / HTTP/1.1\r\nX: a\n${HOST}\r\n`),
  refused('a bare line feed at the end of the head', `GET / HTTP/1.1\r\n${HOST}\n${SMUGGLED}`),
  refused('a bare carriage return behind a field', `GET / HTTP/1.1\r\nX: a\rX-Injected: 1\r\n${HOST}\r\n`),
  refused('a bare carriage return behind the request line', `GET / HTTP/1.1\r${HOST}\r\n`),
  refused('a null byte in a value', `GET / HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`),
  refused('a null byte in a name', `GET / HTTP/1.1\r\n${HOST}X\0Y: a\r\n\r\n`),
  refused('a control character in a value', `GET / HTTP/1.1\r\n${HOST}X: a\x7fb\x01\r\n\r\n`),
  refused('a space in a name', `GET / HTTP/1.1\r\n${HOST}X Y: a\r\n\r\n`),
  refused('no name', `GET / HTTP/1.1\r\n${HOST}: a\r\n\r\n`),
  refused('a line without a colon', `GET / HTTP/1.1\r\n${HOST}injected\r\n\r\n`),
  refused('a letter of Unicode in a name', `GET / HTTP/1.1\r\n${HOST}X-\xe9: a\r\n\r\n`),
  refused('two hosts', `GET / HTTP/1.1\r\n${HOST}Host: b\r\n\r\n`),
  refused('no host', 'GET / HTTP/1.1\r\n\r\n'),
  refused('no version', `GET /\r\n${HOST}\r\n`),
  refused('a version of its own', `GET / HTTP/1.2\r\n${HOST}\r\n`),
  refused('a version of two', `GET / HTTP/2.0\r\n${HOST}\r\n`),
  refused('another protocol', `GET / HTTQ/1.1\r\n${HOST}\r\n`),
  refused('a method that is none', `G\x01T / HTTP/1.1\r\n${HOST}\r\n`),
  refused('HTTP/2 by prior knowledge', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  refused('a TLS hello', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03'),
  refused(
    '64 KiB of one field',
    `GET / HTTP/1.1\r\n${HOST}X: ${'v'.repeat(65_600)}\r\n\r\n`,
    '431 Request Header Fields Too Large',
  ),
  refused(
    '100,000 fields',
    request(
      'GET /',
      Array.from({ length: 100_000 }, (_, n) => `x-${n}: 1`),
    ),
    '431 Request Header Fields Too Large',
  ),
  refused(
    'a field that never ends',
    `GET / HTTP/1.1\r\n${HOST}X: ${'v'.repeat(1_000_000)}`,
    '431 Request Header Fields Too Large',
  ),
  passes(
    'an encoded line end in the target',
    `GET /a%0d%0aX-Injected:%201?m HTTP/1.1\r\n${HOST}\r\n`,
    'GET /a%0d%0aX-Injected:%201?m HTTP/1.1',
  ),
  passes(
    'bytes that some decoders take for a line end',
    `GET /?m HTTP/1.1\r\n${HOST}X: \xc4\x8d\xc4\x8aX-Injected: 1\r\n\r\n`,
    'GET /?m HTTP/1.1',
  ),
];

const CHUNK_FAULTS: readonly Fault[] = [
  aborted('a bare line feed behind a size', TE, `d\n${JSON_BODY}\r\n0\r\n\r\n${SMUGGLED}`),
  aborted('a bare line feed behind a chunk', TE, `d\r\n${JSON_BODY}\n0\r\n\r\n${SMUGGLED}`),
  aborted('a bare carriage return behind a size', TE, `d\r${JSON_BODY}\r\n0\r\n\r\n${SMUGGLED}`),
  aborted('a bare line feed behind the last size', TE, `d\r\n${JSON_BODY}\r\n0\n\r\n${SMUGGLED}`),
  aborted('a size with a prefix', TE, `0xd\r\n${JSON_BODY}\r\n0\r\n\r\n${SMUGGLED}`),
  aborted('a size with a sign', TE, `+d\r\n${JSON_BODY}\r\n0\r\n\r\n${SMUGGLED}`),
  aborted('a negative size', TE, `-d\r\n${JSON_BODY}\r\n0\r\n\r\n${SMUGGLED}`),
  aborted('a size behind a space', TE, ` d\r\n${JSON_BODY}\r\n0\r\n\r\n${SMUGGLED}`),
  aborted('a size beyond all numbers', TE, `1000000000000000d\r\n${JSON_BODY}\r\n0\r\n\r\n${SMUGGLED}`),
  aborted('an empty size', TE, `\r\n${JSON_BODY}\r\n0\r\n\r\n${SMUGGLED}`),
  aborted('a chunk longer than its size', TE, `5\r\n${JSON_BODY}\r\n0\r\n\r\n${SMUGGLED}`),
  aborted('a chunk shorter than its size', TE, `f\r\n${JSON_BODY}\r\n0\r\n\r\n${SMUGGLED}`),
  aborted('a bare line feed in an extension', TE, `d;a\n${JSON_BODY}\r\n0\r\n\r\n${SMUGGLED}`),
  aborted('an extension without end', TE, `d;${'a'.repeat(1_000_000)}`),
  aborted('a folded trailer', TE, `d\r\n${JSON_BODY}\r\n0\r\nX: a\r\n b\r\n\r\n${SMUGGLED}`),
  aborted('a length in the trailers', TE, `d\r\n${JSON_BODY}\r\n0\r\nContent-Length: 9\r\n\r\n${SMUGGLED}`),
  aborted('trailers without end', TE, `d\r\n${JSON_BODY}\r\n0\r\n${'X: 1\r\n'.repeat(200_000)}`),
  passes('an extension', `${posted(TE)}d;a=b;c="d"\r\n${JSON_BODY}\r\n0;x\r\n\r\n`, POST_LINE),
  passes('leading zeros', `${posted(TE)}000d\r\n${JSON_BODY}\r\n000\r\n\r\n`, POST_LINE),
  passes(
    'trailers, which go no further',
    `${posted(TE, 'Trailer: X-Smuggled')}d\r\n${JSON_BODY}\r\n0\r\nX-Smuggled: 1\r\n\r\n`,
    POST_LINE,
  ),
];

const get = (target: string, host = 'gateway.test') => `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

const TARGETS: readonly Fault[] = [
  ...[
    [`http://${ELSEWHERE}/x?m`, '/x?m'],
    [`https://${ELSEWHERE}/x?m`, '/x?m'],
    [`http://user:word@${ELSEWHERE}/x?m`, '/x?m'],
    [`http://${ELSEWHERE}`, '/'],
    [`http://${ELSEWHERE}?m`, '/?m'],
    [`ftp://${ELSEWHERE}/x?m`, '/x?m'],
    [`http://${ELSEWHERE}//${ELSEWHERE}/x`, `//${ELSEWHERE}/x`],
    [`//${ELSEWHERE}/x?m`, `//${ELSEWHERE}/x?m`],
    [`///${ELSEWHERE}/x`, `///${ELSEWHERE}/x`],
    [`/\\${ELSEWHERE}/x`, `/\\${ELSEWHERE}/x`],
    [`/http://${ELSEWHERE}/x`, `/http://${ELSEWHERE}/x`],
    [`/../../@${ELSEWHERE}`, `/../../@${ELSEWHERE}`],
    [`/x?u=http://${ELSEWHERE}`, `/x?u=http://${ELSEWHERE}`],
    [`/x#@${ELSEWHERE}/`, `/x#@${ELSEWHERE}/`],
  ].map(([target = '', expected = '']) => passes(`the target ${target}`, get(target), `GET ${expected} HTTP/1.1`)),
  ...[`@${ELSEWHERE}/x`, ELSEWHERE, '?m', '#m', '\\x', `.${ELSEWHERE}/x`].map((target) =>
    refused(`the target ${target}`, get(target)),
  ),
  passes('a Host that names another server', get('/x', ELSEWHERE), 'GET /x HTTP/1.1'),
  passes(
    'X-Forwarded-Host and its like',
    `GET /x HTTP/1.1\r\n${HOST}X-Forwarded-Host: ${ELSEWHERE}\r\nX-Original-URL: http://${ELSEWHERE}/\r\nForwarded: host=${ELSEWHERE}\r\n\r\n`,
    'GET /x HTTP/1.1',
  ),
  refused('OPTIONS of everything', request('OPTIONS *')),
  refused('CONNECT to another server', `CONNECT ${ELSEWHERE} HTTP/1.1\r\nHost: ${ELSEWHERE}\r\n\r\n${SMUGGLED}`),
  refused(
    'CONNECT with a length',
    `CONNECT ${ELSEWHERE} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello${SMUGGLED}`,
  ),
  refused('CONNECT to a path', `CONNECT /x HTTP/1.1\r\nHost: a\r\n\r\n${SMUGGLED}`),
  refused('a space in the target', get('/a b')),
  refused('a tab in the target', get('/a\tb')),
  refused('a byte over 0x7f in the target', get('/caf\xe9')),
  refused('a null byte in the target', get('/a\0b')),
];

const H2C = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA';

const UPGRADES: readonly Fault[] = [
  passes('h2c', `GET /x?m HTTP/1.1\r\n${HOST}${H2C}\r\n\r\n`, 'GET /x?m HTTP/1.1'),
  passes('h2c with a body', `${posted(H2C, LENGTH)}${JSON_BODY}`, POST_LINE),
  passes(
    'h2c in capitals beside a WebSocket',
    `GET /x HTTP/1.1\r\n${HOST}Connection: upgrade\r\nUpgrade: websocket, H2C\r\n\r\n`,
    'GET /x HTTP/1.1',
  ),
  passes(
    'TLS within HTTP',
    `GET /x HTTP/1.1\r\n${HOST}Connection: upgrade\r\nUpgrade: TLS/1.0\r\n\r\n`,
    'GET /x HTTP/1.1',
  ),
  passes('a WebSocket without Connection', `GET /x HTTP/1.1\r\n${HOST}Upgrade: websocket\r\n\r\n`, 'GET /x HTTP/1.1'),
  passes(
    'a WebSocket with a body',
    `GET /x HTTP/1.1\r\n${HOST}Connection: upgrade\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\nhi`,
    'GET /x HTTP/1.1',
  ),
  passes(
    'a WebSocket by POST',
    `${posted('Connection: upgrade', 'Upgrade: websocket', LENGTH)}${JSON_BODY}`,
    POST_LINE,
  ),
  passes(
    'fields of the message named by Connection',
    `${posted('Connection: content-length, host, transfer-encoding', LENGTH)}${JSON_BODY}`,
    POST_LINE,
  ),
];

/** One request, and the client is told that nothing behind it is taken: neither with it nor after it. */
function last(what: string, sent: string, reaches: string): Fault {
  return {
    what: `${what}, and requests behind it`,
    upstream: strictReader,
    async play(scene) {
      const client = await scene.client();
      client.write(sent + SMUGGLED);
      const { startLine, headerLines } = await client.message();
      expect(startLine).toBe('HTTP/1.1 200 OK');
      expect(headerLines).toContain('Connection: close');
      client.write(SMUGGLED);
      await client.closed();
      expect(client.received).toHaveLength(0);
      expect(reached).toEqual({ requests: [reaches], rest: [] });
    },
    records: [WHOLE],
  };
}

const UPGRADES_NOT_TAKEN: readonly Fault[] = [
  ...['h2c', 'foo', 'TLS/1.2', 'websocket, h2c'].map((protocol) =>
    last(
      `an upgrade to ${protocol}`,
      `GET /x?m HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`,
      'GET /x?m HTTP/1.1',
    ),
  ),
  last('a WebSocket by POST', `${posted('Connection: upgrade', 'Upgrade: websocket', LENGTH)}${JSON_BODY}`, POST_LINE),
  last('h2c with chunks', `${posted('Connection: upgrade', 'Upgrade: h2c', TE)}${CHUNKS}`, POST_LINE),
];

survives('lengths and codings', FRAMINGS, WAYS);
survives('lines and fields', LINES, ['relayed as it is']);
survives('chunks', CHUNK_FAULTS, WAYS);
survives('targets', TARGETS, ['relayed as it is']);
survives('upgrades', UPGRADES, ['relayed as it is']);
survives('upgrades that are not taken', UPGRADES_NOT_TAKEN, WAYS);

test('no other server has heard of any of it', () => {
  expect(elsewhere.connections).toHaveLength(0);
});
