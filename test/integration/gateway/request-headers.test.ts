import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { headerOf } from '../../helpers/http-bytes.ts';
import { post, rawClient, request } from '../../helpers/raw-client.ts';
import { OK, RawUpstream } from '../../helpers/raw-upstream.ts';

/** Header lines that reach the upstream, without those the transport writes itself. */
async function forwarded(sent: Buffer, keys: Record<string, unknown> = {}) {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start({ url: upstream.url, ...keys });
  await using client = await rawClient(gateway.port);
  client.write(sent);
  const connection = await upstream.connection();
  const message = await connection.message();
  connection.write(OK);
  expect((await client.message()).startLine).toBe('HTTP/1.1 200 OK');
  const host = headerOf(message.headerLines, 'host');
  const lines = message.headerLines.filter((line) => !/^(host|connection|content-length):/i.test(line));
  return { ...message, lines, host, upstreamHost: `127.0.0.1:${upstream.port}` };
}

test('names keep their case and order, duplicates stay apart, values keep every byte', async () => {
  const lines = [
    'X-One: 1',
    'accept: a/b',
    'X-TWO:  spaced  inside ',
    'Accept: c/d',
    'x-latin: caf\xe9 \xff',
    'X-Empty:',
    "!#$%&'*+-.^_`|~: odd name",
    'Authorization: Bearer k',
    'Accept-Encoding: gzip, br',
  ];
  const { lines: got } = await forwarded(request('GET /', lines));
  expect(got).toEqual(lines.map((line) => line.replace(/^([^:]+): *(.*?) *$/, '$1: $2')));
});

test('nothing is added: no Via, no X-Forwarded, no user agent', async () => {
  const { lines } = await forwarded(request('GET /'));
  expect(lines).toEqual([]);
});

test('Host names the upstream', async () => {
  const { host, upstreamHost } = await forwarded(request('GET /', ['Host: client.example']));
  expect(host).toBe(upstreamHost);
});

test('with preserve_host, Host is what the client sent', async () => {
  const { host } = await forwarded(request('GET /', ['Host: client.example:1']), { preserve_host: true });
  expect(host).toBe('client.example:1');
});

test('hop-by-hop fields and those that Connection names stay behind', async () => {
  const hop = [
    'Connection: close, X-Mine , x-other',
    'X-Mine: 1',
    'X-Other: 2',
    'Keep-Alive: timeout=5',
    'Proxy-Connection: keep-alive',
    'TE: trailers',
    'Upgrade: h2c',
    'Expect: 200-ok',
    'X-Kept: 3',
  ];
  const { lines } = await forwarded(request('GET /', hop));
  expect(lines).toEqual(['X-Kept: 3']);
});

test('a field the message needs is not lost because Connection names it', async () => {
  const sent = post('/', '{"a":1}', ['Connection: content-length, host']);
  const { body, host, upstreamHost } = await forwarded(sent);
  expect(body.toString()).toBe('{"a":1}');
  expect(host).toBe(upstreamHost);
});

test.each([
  ['two Host headers', ['Host: a', 'Host: b'], ''],
  ['a transfer coding that would be lost', ['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'],
])('%s are refused before a request exists', async (_what, headers, body) => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('POST /', headers, body));
  expect((await client.message()).startLine).toBe('HTTP/1.1 400 Bad Request');
  expect(upstream.connections).toHaveLength(0);
  expect(gateway.records).toHaveLength(0);
});
