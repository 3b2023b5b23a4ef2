import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { post, rawClient } from '../../helpers/raw-client.ts';
import { RawUpstream } from '../../helpers/raw-upstream.ts';

const HOST = 'Host: x\r\n';
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';

test('a broken chunk in an upload aborts it, and nothing of what follows is a request', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(`POST /up HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`);
  const connection = await upstream.connection();
  await connection.text('hello');
  client.write(`5\nhello\r\n0\r\n\r\n${SMUGGLED}`);
  await connection.closed();
  expect(connection.received.toString()).not.toContain('smuggled');
  expect(upstream.connections).toHaveLength(1);
  expect((await gateway.record()).outcome).toBe('client_aborted');
});

test('what follows a request on its connection is a request of its own', async () => {
  await using upstream = await RawUpstream.start(async (connection) => {
    for (;;) {
      const { startLine } = await connection.message();
      connection.write(`HTTP/1.1 200 OK\r\nContent-Length: ${startLine.length}\r\n\r\n${startLine}`);
    }
  });
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(Buffer.concat([post('/one', '{}'), Buffer.from(SMUGGLED), post('/three', '{}')]));
  const seen = [await client.message(), await client.message(), await client.message()];
  expect(seen.map(({ body }) => body.toString())).toEqual([
    'POST /one HTTP/1.1',
    'GET /smuggled HTTP/1.1',
    'POST /three HTTP/1.1',
  ]);
  await gateway.record(2);
});

test.each(['DESCRIBE', 'SET_PARAMETER'])(
  'a method of RTSP, which the parser reads too, is none of HTTP (%s)',
  async (method) => {
    await using upstream = await RawUpstream.start();
    await using gateway = await TestGateway.start(upstream.url);
    await using client = await rawClient(gateway.port);
    client.write(`${method} /stream RTSP/1.0\r\n${HOST}\r\n`);
    const { startLine, headerLines } = await client.message();
    expect(startLine).toBe('HTTP/1.1 400 Bad Request');
    expect(headerLines).toContain('Connection: close');
    await client.closed();
    expect(upstream.connections).toHaveLength(0);
    expect(gateway.records).toHaveLength(0);
  },
);
