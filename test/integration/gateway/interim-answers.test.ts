import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { rawClient, request } from '../../helpers/raw-client.ts';
import { OK, RawUpstream } from '../../helpers/raw-upstream.ts';

const INTERIM = {
  '100 Continue': 'HTTP/1.1 100 Continue\r\n\r\n',
  '103 Early Hints': 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n',
  '102 and 100': 'HTTP/1.1 102 Processing\r\nX: 1\r\n\r\nHTTP/1.1 100 Continue\r\nX: 2\r\n\r\n',
};

test.each(Object.entries(INTERIM))('%s is not taken for the answer', async (_name, interim) => {
  await using upstream = await RawUpstream.start();
  // One connection is used again at once; more would rest first.
  await using gateway = await TestGateway.start({ url: upstream.url, max_connections: 1 });
  await using client = await rawClient(gateway.port);
  for (const number of [0, 1]) {
    client.write(request('GET /'));
    const connection = await upstream.connection();
    await connection.message();
    connection.write(interim);
    connection.write(OK);
    const answer = await client.message();
    expect(answer.startLine).toBe('HTTP/1.1 200 OK');
    expect(answer.headerLines).toEqual(['Content-Length: 2']);
    expect((await gateway.record(number)).outcome).toBe('complete');
  }
  // The upstream's connection stayed in step and was used again.
  expect(upstream.connections).toHaveLength(1);
});

test('101 without an upgrade is no answer', async () => {
  await using upstream = await RawUpstream.start((connection) =>
    connection.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
  );
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('GET /'));
  const { startLine, headerLines } = await client.message();
  expect(startLine).toBe('HTTP/1.1 502 Bad Gateway');
  expect(headerLines).toContain('x-pitot-error: PITOT_UPSTREAM_RESET');
});
