import { expect } from 'vitest';
import { type Expected, type Fault, type Scene, survives } from '../../helpers/faults.ts';
import { chunk, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import { post, request } from '../../helpers/raw-client.ts';
import type { RawSocket } from '../../helpers/raw-socket.ts';
import { OK } from '../../helpers/raw-upstream.ts';
import { CHAT } from '../../helpers/usage-upstream.ts';

const ASK = '{"model":"m","stream":true}';
const SSE = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const event = (text: string) => chunk(`data: ${text}\n\n`);
const TOKEN = event('{"model":"m","choices":[{"index":0,"delta":{"content":"token"}}]}');
const FINISH = event('{"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}');
const USAGE = event('{"model":"m","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":1}}');
const DONE = event('[DONE]');
const MEBIBYTE = 2 ** 20;

const WEBSOCKET = request('GET /v1/realtime?model=m', ['Connection: Upgrade', 'Upgrade: websocket']);
const AGREED = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

const LEAVES: Readonly<Record<string, (client: RawSocket) => void>> = {
  'by a reset': (client) => client.reset(),
  'by a FIN': (client) => client.end(),
};

const UNANSWERED: Expected = { outcome: 'client_aborted', status: 499, error: null };
const CUT: Expected = { outcome: 'client_aborted', status: 200, error: null };
const WHOLE: Expected = { outcome: 'complete', status: 200, error: null };

interface Stage {
  readonly what: string;
  /** Leads there, and hands over the client that is about to leave. */
  reach(scene: Scene): Promise<RawSocket>;
  readonly records: readonly Expected[];
  /** Nothing is running then: the connection to the upstream is kept for the next request. */
  readonly isIdle?: boolean;
}

/** Sends the whole chat, and as much of its answer, up to what the client is waited to have seen. */
async function answered(scene: Scene, ...parts: readonly (string | Buffer)[]): Promise<RawSocket> {
  const client = await scene.client();
  client.write(post(CHAT, ASK));
  const connection = await scene.upstream();
  await connection.message();
  for (const part of parts) connection.write(part);
  return client;
}

async function seen(client: RawSocket, text: string): Promise<RawSocket> {
  await client.text(text);
  return client;
}

/** Sends bytes and waits until they are out. */
async function sends(scene: Scene, bytes: string | Buffer): Promise<RawSocket> {
  const client = await scene.client();
  await new Promise((resolve) => client.socket.write(bytes, resolve));
  return client;
}

const UPLOADING: readonly Stage[] = [
  { what: 'before it has said a word', reach: (scene) => scene.client(), records: [] },
  { what: 'within its head', reach: (scene) => sends(scene, 'POST /v1/chat/completions HT'), records: [] },
  {
    what: 'between its head and its body',
    reach: (scene) => began(scene, ['Content-Length: 1000']),
    records: [UNANSWERED],
  },
  {
    what: 'within its body',
    reach: (scene) => began(scene, ['Content-Length: 1000'], '{"model":"m",'),
    records: [{ ...UNANSWERED, request_bytes: 13 }],
  },
  {
    what: 'within the size of a chunk',
    reach: (scene) => began(scene, ['Transfer-Encoding: chunked'], '9\r\n{"model":\r\n4'),
    records: [{ ...UNANSWERED, request_bytes: 9 }],
  },
  {
    what: 'before the end marker of its chunks',
    reach: (scene) => began(scene, ['Transfer-Encoding: chunked'], `${chunk(ASK)}0\r\n`),
    records: [{ ...UNANSWERED, request_bytes: ASK.length }],
  },
  {
    what: 'while it was told to go on',
    async reach(scene) {
      const client = await sends(scene, request(`POST ${CHAT}`, ['Content-Length: 1000', 'Expect: 100-continue']));
      return await seen(client, '100 Continue\r\n\r\n');
    },
    records: [UNANSWERED],
  },
];

/** Sends the beginning of a request, until the gateway has it, and the upstream what need not be held. */
async function began(scene: Scene, head: readonly string[], body = ''): Promise<RawSocket> {
  const client = await sends(scene, request(`POST ${CHAT}`, head, body));
  await scene.begun();
  if (scene.way === 'relayed as it is') {
    const connection = await scene.upstream();
    // A head without a byte of its body waits for one.
    if (body !== '') await connection.text('{"model":');
  }
  return client;
}

const WAITING: readonly Stage[] = [
  { what: 'in prefill', reach: (scene) => answered(scene), records: [UNANSWERED] },
  {
    what: 'after the head of an answer',
    reach: async (scene) => seen(await answered(scene, SSE), '\r\n\r\n'),
    records: [CUT],
  },
  {
    what: 'after the first token',
    reach: async (scene) => seen(await answered(scene, SSE, TOKEN), 'token'),
    records: [{ ...CUT, chunks: 1 }],
  },
  {
    what: 'with an event half sent',
    reach: async (scene) => seen(await answered(scene, SSE, TOKEN, 'ff\r\ndata: {"cho'), 'token'),
    records: [{ ...CUT, chunks: 1 }],
  },
  {
    what: 'after the finish reason, the marker of the answer',
    reach: async (scene) => seen(await answered(scene, SSE, TOKEN, FINISH), 'finish_reason'),
    records: [WHOLE],
  },
  {
    what: 'after [DONE], before the end of the body',
    reach: async (scene) => seen(await answered(scene, SSE, TOKEN, FINISH, USAGE, DONE), '[DONE]'),
    records: [WHOLE],
  },
  {
    what: 'within an answer that is no stream',
    reach: async (scene) =>
      seen(await answered(scene, 'HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{"model":"m",'), '{"model"'),
    records: [CUT],
  },
  {
    what: 'within an answer that is neither a stream nor JSON',
    reach: async (scene) =>
      seen(await answered(scene, 'HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nhello'), 'hello'),
    records: [CUT],
  },
  {
    what: 'within an answer that lasts as long as its connection',
    reach: async (scene) => seen(await answered(scene, 'HTTP/1.0 200 OK\r\n\r\n{"model":"m",'), '"model"'),
    records: [CUT],
  },
  {
    what: 'with two more requests behind the one that is answered',
    async reach(scene) {
      const client = await sends(scene, Buffer.concat([post(CHAT, ASK), post(CHAT, ASK), request('GET /v1/models')]));
      const connections = [await scene.upstream(), await scene.upstream(), await scene.upstream()];
      for (const connection of connections) await connection.message();
      connections[0]?.write(Buffer.concat([Buffer.from(SSE), TOKEN]));
      return await seen(client, 'token');
    },
    records: [CUT, UNANSWERED, UNANSWERED],
  },
  {
    what: 'while a WebSocket is not agreed upon',
    async reach(scene) {
      const client = await sends(scene, WEBSOCKET);
      await (await scene.upstream()).message();
      return client;
    },
    records: [{ ...UNANSWERED, api: 'websocket' }],
  },
  {
    what: 'within a WebSocket',
    async reach(scene) {
      const client = await sends(scene, WEBSOCKET);
      const connection = await scene.upstream();
      await connection.message();
      connection.write(`${AGREED}frame`);
      return await seen(client, 'frame');
    },
    records: [{ ...CUT, api: 'websocket', status: 101 }],
  },
  {
    what: 'within a failure',
    reach: async (scene) =>
      seen(await answered(scene, 'HTTP/1.1 500 No\r\nContent-Length: 5000\r\n\r\n{"error":"'), '{"error"'),
    records: [{ outcome: 'client_aborted', status: 500 }],
  },
  {
    what: 'between two requests',
    async reach(scene) {
      const client = await answered(scene, SSE, TOKEN, FINISH, USAGE, DONE, LAST_CHUNK);
      await client.message();
      return client;
    },
    records: [WHOLE],
    isIdle: true,
  },
  {
    what: 'while it does not read and its socket is full',
    async reach(scene) {
      const client = await scene.client();
      client.write(post(CHAT, ASK));
      client.socket.pause();
      const connection = await scene.upstream();
      await connection.message();
      connection.write('HTTP/1.1 200 OK\r\nContent-Length: 99000000\r\n\r\n');
      for (let sent = 0; sent < 16; sent += 1) connection.write(Buffer.alloc(MEBIBYTE));
      while (connection.socket.writableLength === 0) await new Promise((resolve) => setImmediate(resolve));
      return client;
    },
    records: [CUT],
  },
];

function leaving(stages: readonly Stage[]): Fault[] {
  return stages.flatMap(({ what, reach, records, isIdle = false }) =>
    Object.entries(LEAVES).map(([how, leave]) => ({
      what: `${what}, ${how}`,
      async play(scene: Scene) {
        const before = scene.gateway.records.length;
        leave(await reach(scene));
        if (records.length > 0) await scene.gateway.record(isIdle ? 0 : before);
        // The upstream hears of it, too, wherever it stands.
        if (!isIdle) for (const connection of scene.connections) await connection.closed();
      },
      records,
    })),
  );
}

/** Comes in as many pieces as it has bytes. */
function dripping(what: string, sent: string | Buffer, body: string): Fault {
  return {
    what,
    async play(scene) {
      const client = await scene.client();
      for (const byte of Buffer.from(sent)) {
        client.write(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
      const connection = await scene.upstream();
      expect((await connection.message()).body.toString()).toBe(body);
      connection.write(OK);
      expect((await client.message()).body.toString()).toBe('ok');
      await scene.gateway.record();
    },
    records: [{ ...WHOLE, request_bytes: body.length }],
  };
}

const UNSTREAMED = '{"stream":false,"model":"m"}';
const CHUNKS = [...UNSTREAMED].map((letter) => chunk(letter));
const DRIPS: readonly Fault[] = [
  dripping('with a length', post(CHAT, UNSTREAMED), UNSTREAMED),
  dripping(
    'in chunks of a byte',
    Buffer.concat([request(`POST ${CHAT}`, ['Transfer-Encoding: chunked']), ...CHUNKS, Buffer.from(LAST_CHUNK)]),
    UNSTREAMED,
  ),
];

const EVERY_WAY = ['relayed as it is', 'asked for usage', 'routed by its model'] as const;

survives('a client that leaves while it sends', leaving(UPLOADING), EVERY_WAY);
survives('a client that sends byte by byte', DRIPS, EVERY_WAY);
survives('a client that leaves while it waits', leaving(WAITING), ['relayed as it is', 'asked for usage']);
