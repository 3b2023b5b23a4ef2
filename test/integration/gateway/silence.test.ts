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

test('by default an answer may be silent for hours, where a configured bound ends it', async () => {
  await using upstream = await RawUpstream.start();
  await using patient = await TestGateway.start(upstream.url);
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
  // undici keeps one timer for all of its bounds: this file must not go on with real ones.
  vi.useRealTimers();
});
