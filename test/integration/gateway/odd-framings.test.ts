import { expect } from 'vitest';
import { type Expected, type Fault, type Scene, survives } from '../../helpers/faults.ts';
import { chunk, headerOf, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { post } from '../../helpers/raw-client.ts';
import type { RawSocket } from '../../helpers/raw-socket.ts';
import { CHAT } from '../../helpers/usage-upstream.ts';

const WAYS = ['relayed as it is', 'asked for usage', 'routed by its model'] as const;
const ASK = post(CHAT, '{"model":"m","stream":true}');
const SSE = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n';
const BODY =
  'data: {"model":"m","choices":[{"index":0,"delta":{"content":"token"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
const WHOLE: Expected = { outcome: 'complete', status: 200, error: null };

/** Sends the chat and has the upstream answer with these bytes. */
async function answered(scene: Scene, answer: string): Promise<{ client: RawSocket; upstream: RawSocket }> {
  const client = await scene.client();
  client.write(ASK);
  const upstream = await scene.upstream();
  await upstream.message();
  upstream.write(answer);
  return { client, upstream };
}

/** The body ends with the connection, and so it does for the client. */
function untilTheEnd(lines: string): readonly Fault[] {
  const answer = `${SSE}${lines}\r\n${BODY}`;
  const head = `${SSE}${lines}Connection: close\r\n\r\n`;
  return [
    {
      what: `a body that ends with its connection under ${JSON.stringify(lines)}`,
      async play(scene) {
        const { client, upstream } = await answered(scene, answer);
        upstream.end();
        expect(await client.closed()).toBe('end');
        expect(client.received.toString('latin1')).toBe(head + BODY);
      },
      records: [WHOLE],
    },
    {
      what: `a body that is cut under ${JSON.stringify(lines)}`,
      async play(scene) {
        const { client, upstream } = await answered(scene, answer);
        await client.text(BODY);
        upstream.reset();
        expect(await client.closed()).toBe('reset');
      },
      records: [{ outcome: 'upstream_reset', status: 200, error: null }],
    },
  ];
}

function chunkedOnce(lines: string, relayed = 'Transfer-Encoding: chunked'): Fault {
  return {
    what: `chunks under ${JSON.stringify(lines)}`,
    async play(scene) {
      const { client } = await answered(scene, `${SSE}${lines}\r\n${chunk(BODY)}${LAST_CHUNK}`);
      expect(await client.head()).toBe(`${SSE}${relayed}\r\n\r\n`);
      expect(await client.text(LAST_CHUNK)).toBe(chunk(BODY) + LAST_CHUNK);
    },
    records: [WHOLE],
  };
}

/** An answer whose framing leaves no room for a body, and so none for a marker. */
function empty(head: string, relayed = head): Fault {
  return {
    what: `no body by its framing: ${JSON.stringify(head)}`,
    async play(scene) {
      const { client } = await answered(scene, `HTTP/1.1 ${head}\r\n`);
      expect(await client.head()).toBe(`HTTP/1.1 ${relayed}\r\n`);
      expect(client.received).toHaveLength(0);
      expect(client.peerEnd).toBeNull();
    },
    records: [{ outcome: 'complete', status: Number(head.slice(0, 3)), error: null, output_tokens: null }],
  };
}

function otherVersion(version: string): Fault {
  return {
    what: `an answer of ${version}`,
    async play(scene) {
      const { client } = await answered(scene, `${version} 200 OK\r\nContent-Length: 2\r\n\r\nok`);
      const { startLine, headerLines } = await client.message();
      expect(startLine).toBe('HTTP/1.1 502 Bad Gateway');
      expect(headerOf(headerLines, 'x-pitot-error')).toBe('PITOT_UPSTREAM_RESET');
    },
    records: [{ outcome: 'upstream_reset', status: 502, error: 'PITOT_UPSTREAM_RESET' }],
  };
}

const CODINGS: readonly Fault[] = [
  ...['identity', 'gzip', 'xchunked', '', 'chunked, gzip', 'chunked;q=1', 'chunkedx, identity'].flatMap((coding) =>
    untilTheEnd(`Transfer-Encoding: ${coding}\r\n`),
  ),
  ...untilTheEnd('Transfer-Encoding: gzip\r\nTransfer-Encoding: identity\r\n'),
  chunkedOnce('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n'),
  chunkedOnce('Transfer-Encoding: chunked, chunked\r\n'),
  chunkedOnce('Transfer-Encoding: gzip, chunked\r\n', 'Transfer-Encoding: gzip, chunked'),
  chunkedOnce('transfer-encoding: Chunked\r\n', 'transfer-encoding: Chunked'),
];

const EMPTY: readonly Fault[] = [
  empty('204 No Content\r\n'),
  empty('204 No Content\r\nContent-Type: text/event-stream\r\n'),
  empty('204 No Content\r\nContent-Length: 0\r\n'),
  empty('204 No Content\r\nContent-Length: 6\r\n', '204 No Content\r\n'),
  empty('304 Not Modified\r\n'),
  empty('304 Not Modified\r\nContent-Type: application/json\r\nContent-Length: 6\r\n'),
  empty('200 OK\r\nContent-Length: 0\r\n'),
  empty('200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 0\r\n'),
  empty('200 OK\r\nContent-Type: application/json\r\nContent-Length: 0\r\n'),
];

survives('codings of an answer', CODINGS, WAYS);
survives('answers without a body', EMPTY, WAYS);
survives('answers of other versions', ['HTTP/2.0', 'HTTP/0.9'].map(otherVersion), WAYS);
