import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { chunk, headerOf, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { post, rawClient, request } from '../../helpers/raw-client.ts';
import { OK, RawUpstream } from '../../helpers/raw-upstream.ts';

async function forwarded(sent: Buffer) {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(sent);
  const connection = await upstream.connection();
  const message = await connection.message();
  connection.write(OK);
  await client.message();
  return { ...message, record: await gateway.record() };
}

test.each([
  ['a number JavaScript cannot hold', '{"seed":12345678901234567890, "model" :"m"}'],
  ['broken JSON', '{"model":'],
  ['a lone surrogate', '{"a":"\\ud83d"}'],
  ['bytes that are no UTF-8', '{"a":"\xff\xfe"}'],
  ['a null byte', '\0'],
  ['gzip', '\x1f\x8b\x08\0'],
])('%s passes byte for byte', async (_what, body) => {
  const bytes = Buffer.from(body, 'latin1');
  const got = await forwarded(post('/v1/chat/completions', bytes));
  expect(got.body.equals(bytes)).toBe(true);
  expect(headerOf(got.headerLines, 'content-length')).toBe(String(bytes.length));
  expect(got.record.request_bytes).toBe(bytes.length);
});

test('a multipart body keeps its boundary and its bytes', async () => {
  const body = Buffer.concat([Buffer.from('--b\r\n\r\n'), randomBytes(300_000), Buffer.from('\r\n--b--')]);
  const type = 'Content-Type: multipart/form-data; boundary=b; charset=x';
  const got = await forwarded(request('POST /v1/audio', [type, `Content-Length: ${body.length}`], body));
  expect(got.headerLines).toContain(type);
  expect(got.body.equals(body)).toBe(true);
});

test('a chunked upload arrives as the same bytes', async () => {
  const parts = ['{"model":"m",', '"x":1}'];
  const sent = request('POST /', ['Transfer-Encoding: chunked'], Buffer.concat(parts.map(chunk)));
  const got = await forwarded(Buffer.concat([sent, Buffer.from(LAST_CHUNK)]));
  expect(got.body.toString()).toBe(parts.join(''));
});

test('a body that drips in byte by byte is relayed as it comes', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('POST /', ['Content-Length: 6']));
  for (const byte of 'abc') {
    client.write(byte);
    const connection = await upstream.connection();
    await connection.text(byte);
  }
  client.write('def');
  const connection = await upstream.connection();
  expect((await connection.message()).body.toString()).toBe('abcdef');
  connection.write(OK);
  await client.message();
  expect((await gateway.record()).request_bytes).toBe(6);
});

test('40 MiB pass whole, at the pace of an upstream that takes its time, without being gathered', async () => {
  const mebibyte = randomBytes(2 ** 20);
  const total = 40;
  let receivedBytes = 0;
  let takenBytes = Number.POSITIVE_INFINITY;
  const hash = createHash('sha256');
  await using upstream = await RawUpstream.start(async ({ socket }) => {
    socket.removeAllListeners('data');
    let isHeadOver = false;
    socket.pause();
    socket.on('data', (bytes: Buffer) => {
      const body = isHeadOver ? bytes : bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
      isHeadOver = true;
      hash.update(body);
      receivedBytes += body.length;
      if (receivedBytes === total * 2 ** 20) socket.write(OK);
    });
    await sleep(500);
    takenBytes = client.socket.bytesWritten - client.socket.writableLength;
    socket.resume();
  });
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('POST /v1/chat/completions', [`Content-Length: ${total * 2 ** 20}`]));
  const expected = createHash('sha256');
  for (let sent = 0; sent < total; sent += 1) {
    expected.update(mebibyte);
    if (!client.socket.write(mebibyte)) await new Promise((resolve) => client.socket.once('drain', resolve));
  }
  expect((await client.message()).body.toString()).toBe('ok');
  expect(hash.digest('hex')).toBe(expected.digest('hex'));
  // While the upstream read nothing: what the gateway and the system's buffers took. A gathered body would be all 40 MiB.
  expect(takenBytes / 2 ** 20).toBeLessThan(30);
  expect((await gateway.record()).request_bytes).toBe(total * 2 ** 20);
});

test('what a long body says of itself is read, wherever within the prefix it stands', async () => {
  const body = `{"messages":"${'x'.repeat(700_000)}","model":"late","user":"u","stream":false}`;
  const { record } = await forwarded(post('/v1/chat/completions', body));
  expect(record.requested_model).toBe('late');
});

test('Expect: 100-continue is answered by the gateway and does not reach the upstream', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('POST /', ['Expect: 100-continue', 'Content-Length: 2']));
  expect(await client.head()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  client.write('hi');
  const connection = await upstream.connection();
  const { body, headerLines } = await connection.message();
  expect(body.toString()).toBe('hi');
  expect(headerOf(headerLines, 'expect')).toBeNull();
  connection.write(OK);
  expect((await client.message()).startLine).toBe('HTTP/1.1 200 OK');
});
