import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { Baseline } from '../../helpers/baseline.ts';
import { TestGateway } from '../../helpers/gateway.ts';
import { rawClient, request } from '../../helpers/raw-client.ts';
import { RawUpstream, type Script } from '../../helpers/raw-upstream.ts';
import { CHAT, PLAIN_STREAM, streamed } from '../../helpers/usage-upstream.ts';

const MEBIBYTE = 2 ** 20;
const PART = Buffer.alloc(MEBIBYTE, 'x');
const PARTS = 200;
/** `stream` and `model` come last, far behind anything that is kept. */
const START = '{"messages":["';
const END = '"],"model":"m","stream":true}';
const TOTAL = START.length + PARTS * PART.length + END.length;
/** Half of it: garbage that waits to be collected counts, too, and that of client and upstream. */
const MEMORY_BYTES = 100 * MEBIBYTE;

/** Reads the body without keeping it, and answers with a stream. */
function hashing(done: (digest: string) => void): Script {
  return ({ socket }) => {
    const hash = createHash('sha256');
    let missing = TOTAL;
    let isHeadOver = false;
    socket.removeAllListeners('data');
    socket.on('data', (bytes: Buffer) => {
      const body = isHeadOver ? bytes : bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
      isHeadOver = true;
      hash.update(body);
      missing -= body.length;
      if (missing > 0) return;
      done(hash.digest('hex'));
      socket.write(streamed(PLAIN_STREAM));
    });
  };
}

test.each([
  ['as it is', { usage: 'never' }],
  ['to an engine that would be asked for usage', { engine: 'vllm' }],
])('200 MiB with `stream` behind them go %s, whole and without being gathered', async (_how, keys) => {
  let got = '';
  await using upstream = await RawUpstream.start(
    hashing((digest) => {
      got = digest;
    }),
  );
  await using gateway = await TestGateway.start({ url: upstream.url, ...keys });
  const baseline = new Baseline(gateway);
  const client = await rawClient(gateway.port);
  const expected = createHash('sha256');
  const before = process.memoryUsage().rss;
  let peak = before;
  const write = async (bytes: Buffer) => {
    expected.update(bytes);
    if (!client.socket.write(bytes)) await new Promise((resolve) => client.socket.once('drain', resolve));
    peak = Math.max(peak, process.memoryUsage().rss);
  };
  client.write(request(`POST ${CHAT}`, ['Content-Type: application/json', `Content-Length: ${TOTAL}`]));
  await write(Buffer.from(START));
  for (let sent = 0; sent < PARTS; sent += 1) await write(PART);
  await write(Buffer.from(END));
  expect((await client.message()).body.toString()).toBe(PLAIN_STREAM);
  expect(got).toBe(expected.digest('hex'));
  expect(peak - before).toBeLessThan(MEMORY_BYTES);
  client.socket.destroy();
  for (const { socket } of upstream.connections) socket.destroy();
  expect(await baseline.restored()).toMatchObject([
    { outcome: 'complete', request_bytes: TOTAL, stream: true, requested_model: null, model: 'm' },
  ]);
});
