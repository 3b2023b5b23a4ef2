import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Baseline } from '../../helpers/baseline.ts';
import { TestGateway } from '../../helpers/gateway.ts';
import { chunk, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { rawClient, request } from '../../helpers/raw-client.ts';
import type { RawSocket } from '../../helpers/raw-socket.ts';
import { RawUpstream } from '../../helpers/raw-upstream.ts';

const MEBIBYTE = 2 ** 20;
const PART = randomBytes(MEBIBYTE);
const PARTS = 500;

interface Sent {
  bytes: number;
  isOver: boolean;
}

/** Offers 500 MiB as fast as they are taken. */
async function flood(connection: RawSocket, sent: Sent, framing: 'chunked' | 'length'): Promise<void> {
  await connection.message();
  const field = framing === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${PARTS * MEBIBYTE}`;
  connection.write(`HTTP/1.1 200 OK\r\n${field}\r\n\r\n`);
  for (let part = 0; part < PARTS; part += 1) {
    const bytes = framing === 'chunked' ? chunk(PART) : PART;
    if (!connection.socket.write(bytes)) await new Promise((resolve) => connection.socket.once('drain', resolve));
    sent.bytes += bytes.length;
  }
  if (framing === 'chunked') connection.write(LAST_CHUNK);
  sent.isOver = true;
}

test.each(['chunked', 'length'] as const)(
  'a reader that stops holds the upstream up, not our memory (%s)',
  async (framing) => {
    const sent: Sent = { bytes: 0, isOver: false };
    await using upstream = await RawUpstream.start((connection) => flood(connection, sent, framing));
    await using gateway = await TestGateway.start(upstream.url);
    const baseline = new Baseline(gateway);
    await using client = await rawClient(gateway.port);
    const hash = createHash('sha256');
    let received = 0;
    client.socket.removeAllListeners('data');
    client.socket.pause();
    const before = process.memoryUsage().rss;
    client.write(request('GET /'));

    let last = -1;
    await expect
      .poll(
        () => {
          const isStill = sent.bytes === last && sent.bytes > 0;
          last = sent.bytes;
          return isStill;
        },
        { interval: 300, timeout: 10_000 },
      )
      .toBe(true);
    expect(sent.isOver).toBe(false);
    // What was sent lies in socket buffers of the system; ours stay small. The upstream is in this process, too.
    expect((process.memoryUsage().rss - before) / MEBIBYTE).toBeLessThan(40);

    client.socket.on('data', (bytes: Buffer) => {
      hash.update(bytes);
      received += bytes.length;
    });
    client.socket.resume();
    const record = await gateway.record();
    expect(record).toMatchObject({ outcome: 'complete', response_bytes: PARTS * MEBIBYTE });
    expect(record.client_blocked_ms).toBeGreaterThan(100);
    expect(gateway.status().clientBlockedMs).toBeGreaterThan(100);
    await expect.poll(() => received).toBeGreaterThanOrEqual(PARTS * MEBIBYTE);
    if (framing === 'length') {
      // The head differs from the sender's by nothing that could be random.
      const expected = createHash('sha256').update(`HTTP/1.1 200 OK\r\nContent-Length: ${PARTS * MEBIBYTE}\r\n\r\n`);
      for (let part = 0; part < PARTS; part += 1) expected.update(PART);
      expect(hash.digest('hex')).toBe(expected.digest('hex'));
    }
    client.socket.destroy();
    for (const { socket } of upstream.connections) socket.destroy();
    expect(await baseline.restored()).toHaveLength(1);
  },
);
