import { expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { headerOf } from '../../helpers/http-bytes.ts';
import { rawClient, request } from '../../helpers/raw-client.ts';
import type { RawSocket } from '../../helpers/raw-socket.ts';
import { RawUpstream } from '../../helpers/raw-upstream.ts';

const TOO_LARGE = 'HTTP/1.1 413 Payload Too Large\r\nContent-Length: 3\r\n\r\nno!';
const TOTAL = 50 * 2 ** 20;

/** Uploads as fast as it can until it is done or its answer is there, as most clients do. */
async function upload(client: RawSocket): Promise<void> {
  const part = Buffer.alloc(256 * 1024, 'x');
  client.write(request('POST /', [`Content-Length: ${TOTAL}`]));
  for (let sent = 0; sent < TOTAL && client.peerEnd === null; sent += part.length) {
    if (client.socket.write(part)) continue;
    await new Promise<void>((resolve) => {
      client.socket.once('drain', resolve);
      client.socket.once('close', resolve);
    });
  }
}

const ENDINGS: Record<string, (upstream: RawSocket) => void> = {
  'reads on': () => {},
  'closes, which resets': ({ socket }) => socket.destroySoon(),
  'reads no more': ({ socket }) => socket.pause(),
};

test.each(Object.entries(ENDINGS))(
  'an upstream that answers before the body was read and %s: the client gets its answer',
  async (_how, end) => {
    for (let round = 0; round < 5; round += 1) {
      await using upstream = await RawUpstream.start(async (connection) => {
        await connection.text('\r\n\r\n');
        connection.write(TOO_LARGE);
        end(connection);
      });
      await using gateway = await TestGateway.start(upstream.url);
      await using client = await rawClient(gateway.port);
      const uploading = upload(client);
      const answer = await client.message();
      expect(answer.startLine).toBe('HTTP/1.1 413 Payload Too Large');
      expect(answer.body.toString()).toBe('no!');
      expect(headerOf(answer.headerLines, 'connection')).toBe('close');
      expect(await gateway.record()).toMatchObject({ outcome: 'upstream_error', status: 413 });
      await uploading;
    }
  },
);

test('our own error reaches a client that is still uploading', async () => {
  for (let round = 0; round < 5; round += 1) {
    await using gateway = await TestGateway.start({ url: 'http://127.0.0.1:9', match: { path: '/other' } });
    await using client = await rawClient(gateway.port);
    const uploading = upload(client);
    const { headerLines } = await client.message();
    expect(headerLines).toContain('x-pitot-error: PITOT_NO_UPSTREAM');
    expect(headerLines).toContain('Connection: close');
    await uploading;
  }
});

test('an answer that begins while the upload goes on is relayed while the upload goes on', async () => {
  await using upstream = await RawUpstream.start();
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('POST /', ['Content-Length: 6'], 'abc'));
  const connection = await upstream.connection();
  await connection.text('abc');
  connection.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nABC');
  await client.text('ABC');
  client.write('def');
  await connection.text('abcdef');
  connection.write('DEF');
  expect((await client.message()).body.toString()).toBe('ABCDEF');
  expect(await gateway.record()).toMatchObject({ outcome: 'complete', request_bytes: 6 });
});

test('behind an upload that was answered early, nothing is a request any more: its answer said that it was the last', async () => {
  await using upstream = await RawUpstream.start(async (connection) => {
    await connection.text('\r\n\r\n');
    connection.write(TOO_LARGE);
  });
  await using gateway = await TestGateway.start(upstream.url);
  await using client = await rawClient(gateway.port);
  client.write(request('POST /', ['Content-Length: 200000'], 'x'));
  const { startLine, headerLines } = await client.message();
  expect(startLine).toBe('HTTP/1.1 413 Payload Too Large');
  expect(headerOf(headerLines, 'connection')).toBe('close');
  client.write(Buffer.concat([Buffer.alloc(199_999, 'x'), request('GET /smuggled')]));
  await client.closed();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(upstream.connections).toHaveLength(1);
  expect(gateway.records).toHaveLength(1);
});
