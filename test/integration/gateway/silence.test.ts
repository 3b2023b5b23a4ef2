import { expect, test, vi } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { chunk, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { rawClient, request } from '../../helpers/raw-client.ts';
import { RawUpstream } from '../../helpers/raw-upstream.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

/** Five hours pass for every timer; sockets and turns of the event loop stay real. */
async function fiveHoursPass(): Promise<void> {
  await vi.advanceTimersByTimeAsync(5 * 3_600_000);
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('by default answers and uploads may be silent for hours, where a configured bound ends them', async () => {
  await using upstream = await RawUpstream.start();
  // Every request has a connection of its own, whatever the time between them.
  await using patient = await TestGateway.start({ url: upstream.url, keep_alive: 0 });
  await using bounded = await TestGateway.start({ url: upstream.url, timeouts: { headers: '1h' } });
  await using client = await rawClient(patient.port);
  await using hurried = await rawClient(bounded.port);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  client.write(request('GET /'));
  const connection = await upstream.connection(0);
  await connection.message();
  hurried.write(request('GET /'));
  await (await upstream.connection(1)).message();

  await fiveHoursPass();
  // These hours are real to both.
  expect((await hurried.message()).headerLines).toContain('x-pitot-error: PITOT_UPSTREAM_TIMEOUT');
  connection.write(HEAD);
  await client.text('200 OK');
  await fiveHoursPass();
  connection.write(chunk('one'));
  await client.text('one');
  await fiveHoursPass();
  connection.write(LAST_CHUNK);
  expect((await client.message()).body.toString()).toBe('one');
  expect((await patient.record()).outcome).toBe('complete');

  // So may a client be within its upload.
  client.write(request('POST /', ['Content-Length: 6'], 'abc'));
  const uploading = await upstream.connection(2);
  await uploading.text('abc');
  await fiveHoursPass();
  client.write('def');
  expect((await uploading.message()).body.toString()).toBe('abcdef');
  uploading.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  expect((await client.message()).body.toString()).toBe('ok');
  expect(patient.records.map(({ outcome }) => outcome)).toEqual(['complete', 'complete']);
  expect(patient.status().inFlight).toBe(0);
  // undici keeps one timer for all of its bounds: this file must not go on with real ones.
  vi.useRealTimers();
});
