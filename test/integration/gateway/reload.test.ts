import { expect, test } from 'vitest';
import { configOf, TestGateway } from '../../helpers/gateway.ts';
import { chunk, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { rawClient, request } from '../../helpers/raw-client.ts';
import { answering, OK, RawUpstream } from '../../helpers/raw-upstream.ts';

test('a new configuration counts from the next request on; no stream notices', async () => {
  await using old = await RawUpstream.start();
  await using fresh = await RawUpstream.start(answering(OK));
  await using gateway = await TestGateway.start(old.url);
  await using streaming = await rawClient(gateway.port);
  await using client = await rawClient(gateway.port);
  streaming.write(request('GET /'));
  const stream = await old.connection();
  await stream.message();
  stream.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk('one')}`);
  await streaming.text('one');

  gateway.dataPort.replaceConfig(configOf(fresh.url));
  client.write(request('GET /'));
  expect((await client.message()).body.toString()).toBe('ok');
  stream.write(chunk('two') + LAST_CHUNK);
  expect((await streaming.message()).body.toString()).toBe('onetwo');
  expect(old.connections).toHaveLength(1);
  // The retired pool lets its connection go.
  await stream.closed();
});

test('connections outlive a reload that leaves their upstream as it is', async () => {
  await using upstream = await RawUpstream.start(answering(OK));
  await using gateway = await TestGateway.start({ url: upstream.url, max_connections: 1 });
  await using client = await rawClient(gateway.port);
  for (const path of ['/', '/other']) {
    client.write(request('GET /other'));
    expect((await client.message()).body.toString()).toBe('ok');
    gateway.dataPort.replaceConfig(configOf({ url: upstream.url, max_connections: 1, match: { path } }));
  }
  expect(upstream.connections).toHaveLength(1);
});

test('a configuration that cannot be used changes nothing', async () => {
  await using upstream = await RawUpstream.start(answering(OK));
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  const faulty = configOf([
    { url: 'http://127.0.0.1:9' },
    { url: 'https://127.0.0.1:9', tls: { ca: '/no/such/file' } },
  ]);
  expect(() => gateway.dataPort.replaceConfig(faulty)).toThrow('ENOENT');
  client.write(request('GET /'));
  expect((await client.message()).body.toString()).toBe('ok');
});
