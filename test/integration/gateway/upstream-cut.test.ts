import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { chunk } from '../../helpers/http-bytes.ts';
import { post, rawClient, request } from '../../helpers/raw-client.ts';
import type { RawSocket } from '../../helpers/raw-socket.ts';
import { RawUpstream } from '../../helpers/raw-upstream.ts';

const CHAT = post('/v1/chat/completions', '{"model":"m","stream":true}');
const EVENT = 'data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n';
const BREAKS: Record<string, (upstream: RawSocket) => void> = {
  'a FIN': (upstream) => upstream.end(),
  'a reset': (upstream) => upstream.reset(),
};
const CHUNKED = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';

const CUTS: [what: string, answer: string | Buffer][] = [
  ['between chunks', Buffer.concat([Buffer.from(CHUNKED), chunk(EVENT)])],
  ['within a chunk', `${CHUNKED}ff\r\n${EVENT}`],
  ['in a chunk size', `${CHUNKED}${chunk(EVENT)}1`],
  ['before the last empty line', `${CHUNKED}${chunk(EVENT)}0\r\n`],
  ['short of its length', `HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n${EVENT}`],
  ['with Connection: close', `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5000\r\n\r\n${EVENT}`],
];

test.each(CUTS.flatMap(([what, answer]) => Object.entries(BREAKS).map(([how, cut]) => ({ what, answer, how, cut }))))(
  'an answer cut $what by $how reaches the client as cut, after all that came before',
  async ({ answer, cut }) => {
    await using upstream = await RawUpstream.start();
    await using gateway = await TestGateway.start(upstream.url);
    await using client = await rawClient(gateway.port);
    client.write(CHAT);
    const connection = await upstream.connection();
    await connection.message();
    connection.write(answer);
    await client.text(EVENT);
    cut(connection);
    await client.closed();
    const wire = client.received.toString('latin1');
    expect(wire.endsWith(EVENT) || wire.endsWith(`${EVENT}\r\n`)).toBe(true);
    const record = await gateway.record();
    expect(record).toMatchObject({ outcome: 'upstream_reset', status: 200, error: null });
  },
);

test('a reset in a body that lasts until the connection ends is a cut, not an end', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(CHAT);
  const connection = await upstream.connection();
  await connection.message();
  connection.write(`HTTP/1.1 200 OK\r\n\r\n${EVENT}`);
  await client.text(EVENT);
  connection.reset();
  await client.closed();
  expect(client.received.toString()).not.toContain('0\r\n\r\n');
  expect((await gateway.record()).outcome).toBe('upstream_reset');
});

test('the end of a body that lasts until the connection ends is its end', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('GET /'));
  const connection = await upstream.connection();
  await connection.message();
  connection.end('HTTP/1.0 200 OK\r\n\r\nhello');
  expect((await client.message()).body.toString()).toBe('hello');
  expect((await gateway.record()).outcome).toBe('complete');
});

test('an HTTP/1.0 client, to whom the end of the connection is the end of the body, is told of a cut by a reset', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write('GET / HTTP/1.0\r\n\r\n');
  const connection = await upstream.connection();
  await connection.message();
  connection.write(`${CHUNKED}${chunk(EVENT)}`);
  await client.text(EVENT);
  connection.reset();
  expect(await client.closed()).toBe('reset');
  expect((await gateway.record()).outcome).toBe('upstream_reset');
});

test('bytes that follow a whole answer do not spoil the next one', async () => {
  await using upstream = await RawUpstream.start(async (connection) => {
    await connection.message();
    connection.write(
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nX-Poison: 1\r\nContent-Length: 0\r\n\r\n',
    );
  });
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  for (let number = 0; number < 3; number += 1) {
    client.write(request('GET /'));
    expect((await client.message()).headerLines).toEqual(['Content-Length: 2']);
  }
  expect(upstream.connections).toHaveLength(3);
});
