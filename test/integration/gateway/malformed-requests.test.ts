import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { post, rawClient } from '../../helpers/raw-client.ts';
import { OK, RawUpstream } from '../../helpers/raw-upstream.ts';

const HOST = 'Host: x\r\n';
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';

test.each([
  [
    'Content-Length with Transfer-Encoding',
    `POST / HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  ],
  ['two lengths', `POST / HTTP/1.1\r\n${HOST}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!${SMUGGLED}`],
  ['a folded line', `GET / HTTP/1.1\r\n${HOST}X-A: a\r\n b\r\n\r\n`],
  ['a space before the colon', `GET / HTTP/1.1\r\n${HOST}X-A : a\r\n\r\n`],
  ['a bare line feed in the head', `GET / HTTP/1.1\n${HOST}\r\n`],
  ['a control character in a value', `GET / HTTP/1.1\r\n${HOST}X-A: a\x01b\r\n\r\n`],
  ['a coding that is not the last', `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`],
  ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
  ['HTTP/2 by prior knowledge', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a TLS hello', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03'],
  ['a space in the target', `GET /a b HTTP/1.1\r\n${HOST}\r\n`],
])('%s ends in 400, and no request reaches the upstream', async (_what, sent) => {
  await using upstream = await RawUpstream.start((connection) => connection.write(OK));
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(sent);
  expect((await client.message({ isEnded: true })).startLine).toBe('HTTP/1.1 400 Bad Request');
  await client.closed();
  expect(upstream.connections).toHaveLength(0);
  expect(gateway.records).toHaveLength(0);
});

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
