import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { chunk, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { rawClient, request } from '../../helpers/raw-client.ts';
import { answering, OK, RawUpstream } from '../../helpers/raw-upstream.ts';

/** The head that reaches the client, byte for byte, when the upstream answers with these bytes. */
async function relayed(answer: string, line = 'GET /'): Promise<string> {
  await using upstream = await RawUpstream.start((connection) => connection.write(answer));
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request(line));
  return await client.head();
}

test('status, reason, and every field with its case, order and duplicates reach the client, and nothing else', async () => {
  const head =
    'HTTP/1.1 299 Very Fine caf\xe9\r\nserver: X\r\nSet-Cookie: a=1; Path=/\r\nX-Empty: \r\nSET-COOKIE: b=2\r\n' +
    'x-accel-buffering: no\r\nWWW-Authenticate: Basic\r\nX-Latin: \xe9\xff\r\nContent-Length: 2\r\nwww-authenticate: Digest\r\n\r\n';
  expect(await relayed(`${head}ok`)).toBe(head);
});

test('a date is relayed, never made up', async () => {
  const head = 'HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Length: 0\r\n\r\n';
  expect(await relayed(head)).toBe(head);
});

test('a chunked answer keeps its own Transfer-Encoding line in its place', async () => {
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nContent-Type: text/event-stream\r\n\r\n';
  expect(await relayed(head + chunk('x') + LAST_CHUNK)).toBe(head);
});

test('hop-by-hop fields of the answer stay behind', async () => {
  const answer =
    'HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Mine\r\nX-Mine: 1\r\nKeep-Alive: timeout=5\r\nUpgrade: h2c\r\n' +
    'Proxy-Connection: x\r\nX-Kept: 2\r\nContent-Length: 0\r\n\r\n';
  expect(await relayed(answer)).toBe('HTTP/1.1 200 OK\r\nX-Kept: 2\r\nContent-Length: 0\r\n\r\n');
});

test('an answer without a reason has none', async () => {
  expect(await relayed('HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n')).toBe('HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n');
});

test.each([404, 429, 500, 503])('an answer %i of the upstream is relayed as it is', async (status) => {
  const head = `HTTP/1.1 ${status} Their Words\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n`;
  expect(await relayed(head)).toBe(head);
});

test('a reason that arrives in pieces is whole', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('GET /'));
  const connection = await upstream.connection();
  await connection.message();
  for (const piece of ['HTTP/1.1 200 Ve', 'ry Go', 'od\r\nX-Spl', 'it: on', 'e\r\nContent-Length: 0\r\n\r\n']) {
    connection.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(await client.head()).toBe('HTTP/1.1 200 Very Good\r\nX-Split: one\r\nContent-Length: 0\r\n\r\n');
});

test('the head is relayed as soon as it is there, long before the body', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('GET /'));
  const connection = await upstream.connection();
  await connection.message();
  connection.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n');
  expect(await client.head()).toContain('200 OK');
  connection.write('ok');
  await client.text('ok');
});

test('each chunk is relayed when it comes, and trailers at the end', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('GET /'));
  const connection = await upstream.connection();
  await connection.message();
  connection.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n');
  for (const text of ['data: 1\n\n', 'data: 2\n\n', 'x'.repeat(40_000)]) {
    connection.write(chunk(text));
    await client.text(text);
  }
  connection.write('0\r\nX-Sum: 7\r\n\r\n');
  const { body, trailerLines } = await client.message();
  expect(body.length).toBe(40_018);
  expect(trailerLines).toEqual(['X-Sum: 7']);
  expect(gateway.relayed).toBeGreaterThanOrEqual(3);
});

test.each(['\x00', '\x01', '\x0b', '\x1f'])(
  'a reason phrase that holds %j is no HTTP: 502 and a record',
  async (character) => {
    await using upstream = await RawUpstream.start(answering(OK.replace('OK', `O${character}K`)));
    await using gateway = await TestGateway.start(upstream.url);
    await using client = await rawClient(gateway.port);
    client.write(request('GET /'));
    const { startLine, headerLines } = await client.message();
    expect(startLine).toBe('HTTP/1.1 502 Bad Gateway');
    expect(headerLines).toContain('x-pitot-error: PITOT_UPSTREAM_RESET');
    expect(await gateway.record()).toMatchObject({ outcome: 'upstream_reset', status: 502 });
  },
);
