import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { rawClient, request } from '../../helpers/raw-client.ts';
import { OK, RawUpstream } from '../../helpers/raw-upstream.ts';

const FORTY_KIB = `X-Long: ${'v'.repeat(40 * 1024)}`;

test('40 KiB of header fields pass both ways', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('GET /', [FORTY_KIB]));
  const connection = await upstream.connection();
  expect((await connection.message()).headerLines).toContain(FORTY_KIB);
  connection.write(`HTTP/1.1 200 OK\r\n${FORTY_KIB}\r\nContent-Length: 0\r\n\r\n`);
  expect((await client.message()).headerLines).toContain(FORTY_KIB);
});

test('3,000 short fields all pass: none is dropped for being one too many', async () => {
  const lines = Array.from({ length: 3_000 }, (_, number) => `x-${number}: ${number}`);
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('GET /', lines));
  const connection = await upstream.connection();
  const got = (await connection.message()).headerLines.filter((line) => line.startsWith('x-'));
  expect(got).toEqual(lines);
  connection.write(`HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`);
  expect((await client.message()).headerLines).toEqual([...lines, 'Content-Length: 0']);
});

test.each([
  ['one field of 70 KiB', [`X-Long: ${'v'.repeat(70 * 1024)}`]],
  ['100,000 fields', Array.from({ length: 100_000 }, (_, number) => `x-${number}: 1`)],
])('%s end in 431, and reach nobody', async (_what, lines) => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('GET /', lines));
  expect((await client.message()).startLine).toBe('HTTP/1.1 431 Request Header Fields Too Large');
  expect(upstream.connections).toHaveLength(0);
  expect(gateway.records).toHaveLength(0);
});

test('an endless head of the upstream ends in 502, not in a hang', async () => {
  await using upstream = await RawUpstream.start(async (connection) => {
    await connection.message();
    connection.write('HTTP/1.1 200 OK\r\n');
    for (let line = 0; line < 2_000; line += 1) connection.write(`X-${line}: ${'v'.repeat(100)}\r\n`);
  });
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('GET /'));
  expect((await client.message()).headerLines).toContain('x-pitot-error: PITOT_UPSTREAM_RESET');
  expect((await gateway.record()).outcome).toBe('upstream_reset');
  expect(OK).toBeDefined();
});
