import { METHODS } from 'node:http';
import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { post, rawClient, request } from '../../helpers/raw-client.ts';
import { OK, RawUpstream } from '../../helpers/raw-upstream.ts';

test('every method that Node can read reaches the upstream, with its body', async () => {
  await using upstream = await RawUpstream.start(async (connection) => {
    const { startLine, body } = await connection.message();
    const [method = ''] = startLine.split(' ');
    const said = `${method} ${body}`;
    connection.write(`HTTP/1.1 200 OK\r\nContent-Length: ${said.length}\r\n\r\n${method === 'HEAD' ? '' : said}`);
  });
  await using gateway = await TestGateway.start({ url: upstream.url, keep_alive: 0 });
  await using client = await rawClient(gateway.port);
  for (const method of METHODS.filter((name) => name !== 'CONNECT' && name !== 'HEAD')) {
    client.write(request(`${method} /x`, ['Content-Length: 4'], 'body'));
    expect((await client.message()).body.toString()).toBe(`${method} body`);
  }
});

test('HEAD is answered with its head alone, length and coding untouched, and the connection goes on', async () => {
  const heads = [
    'HTTP/1.1 200 OK\r\nContent-Length: 12345\r\nContent-Type: text/x\r\n\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
    'HTTP/1.1 200 OK\r\nX: 1\r\n\r\n',
  ];
  let served = 0;
  await using upstream = await RawUpstream.start(async (connection) => {
    await connection.message();
    connection.write(heads[served++] ?? '');
  });
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  for (const head of heads) {
    client.write(request('HEAD /'));
    expect(await client.head()).toBe(head);
    expect(client.received).toHaveLength(0);
  }
});

test.each([
  ['204 No Content', ''],
  ['304 Not Modified', 'Content-Length: 777\r\nETag: "x"\r\n'],
  ['304 Not Modified', ''],
])('%s has no body, whatever its length says', async (status, fields) => {
  const head = `HTTP/1.1 ${status}\r\n${fields}\r\n`;
  await using upstream = await RawUpstream.start(async (connection) => {
    for (let number = 0; number < 2; number += 1) {
      await connection.message();
      connection.write(head);
    }
  });
  // One connection is used again at once; more would rest first.
  await using gateway = await TestGateway.start({ url: upstream.url, max_connections: 1 });
  await using client = await rawClient(gateway.port);
  for (const number of [0, 1]) {
    client.write(request('GET /'));
    expect(await client.head()).toBe(head);
    expect((await gateway.record(number)).outcome).toBe('complete');
  }
  expect(upstream.connections).toHaveLength(1);
});

test('OPTIONS is forwarded, and the gateway adds no CORS of its own', async () => {
  await using upstream = await RawUpstream.start((connection) => connection.write(OK));
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('OPTIONS /v1/chat/completions', ['Origin: https://x', 'Access-Control-Request-Method: POST']));
  expect((await client.message()).headerLines).toEqual(['Content-Length: 2']);
});

test.each(['GET', 'DELETE'])('%s with a body is forwarded with it, and does not hang', async (method) => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request(`${method} /api/delete`, ['Content-Length: 13'], '{"model":"x"}'));
  const connection = await upstream.connection();
  expect((await connection.message()).body.toString()).toBe('{"model":"x"}');
  connection.write(OK);
  expect((await client.message()).body.toString()).toBe('ok');
});

test.each(['application/json', 'text/plain', 'no media type at all', ';;;', 'application/x-www-form-urlencoded'])(
  'a body of content type %j is left alone',
  async (type) => {
    await using upstream = await RawUpstream.start();
    await using gateway = await TestGateway.start({ url: upstream.url, max_connections: 1 });
    await using client = await rawClient(gateway.port);
    client.write(request('POST /', [`Content-Type: ${type}`, 'Content-Length: 0']));
    const connection = await upstream.connection();
    expect((await connection.message()).headerLines).toContain(`Content-Type: ${type}`);
    connection.write(OK);
    await client.message();
    client.write(post('/', 'a=1', []));
    expect((await connection.message()).body.toString()).toBe('a=1');
    connection.write(OK);
    await client.message();
  },
);
