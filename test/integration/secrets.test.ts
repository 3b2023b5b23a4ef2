import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { configOf } from '../helpers/gateway.ts';
import { rawClient, request } from '../helpers/raw-client.ts';
import type { RawSocket } from '../helpers/raw-socket.ts';
import { RawUpstream } from '../helpers/raw-upstream.ts';
import { runningApp } from '../helpers/running-app.ts';

/** In every secret; whatever shows it has leaked. */
const CANARY = 'cAnArY';
const KEY = `sk-${CANARY}-0123456789`;
const ADMIN_TOKEN = `admin-${CANARY}`;
const SALT = `salt-${CANARY}`;
const BASIC = Buffer.from(`user:${CANARY}`).toString('base64');
/** What a canary looks like where it was encoded. */
const LEAKS = [CANARY, BASIC, Buffer.from(CANARY).toString('hex'), encodeURIComponent(KEY)];

const PROMPT = `say ${CANARY} "twice"\n`;
const ANSWER = `here is ${CANARY}`;

/** How a client may show its key; the last: as part of a target that names a host too. */
const CREDENTIALS: readonly { headers?: string[]; query?: string; authority?: string }[] = [
  { headers: [`Authorization: Bearer ${KEY}`] },
  { headers: [`authorization: ${KEY}`] },
  { headers: [`Authorization: Basic ${BASIC}`] },
  { headers: [`X-Api-Key: ${KEY}`, `Cookie: session=${CANARY}; other=1`] },
  { headers: [`api-key: ${KEY}`, `Proxy-Authorization: Basic ${BASIC}`] },
  { headers: [`X-Goog-Api-Key: ${KEY}`] },
  { query: `?key=${KEY}` },
  { query: `?api-version=1&api-key=${KEY}&access_token=${CANARY}` },
  {
    headers: [
      `Authorization: AWS4-HMAC-SHA256 Credential=${KEY}/20260101/us/bedrock/aws4_request, Signature=${CANARY}`,
    ],
  },
  { authority: `http://user:${CANARY}@elsewhere.test` },
];

interface Shape {
  path: string;
  body: object;
  /** Events of a streamed answer; joined by what the API puts between them. */
  events: readonly object[];
  ndjson?: true;
}

const chat = { model: 'm', stream: true, messages: [{ role: 'user', content: PROMPT }], user: 'someone' };

/** One of every kind of API: where the prompt stands in it, and where the answer. None reports usage, so that texts are counted here. */
const SHAPES: readonly Shape[] = [
  { path: '/v1/chat/completions', body: chat, events: [{ choices: [{ index: 0, delta: { content: ANSWER } }] }] },
  {
    path: '/openai/deployments/d/chat/completions',
    body: chat,
    events: [
      { choices: [{ index: 0, delta: { reasoning_content: ANSWER } }] },
      { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { name: CANARY, arguments: ANSWER } }] } }] },
    ],
  },
  {
    path: '/v1/completions',
    body: { model: 'm', stream: true, prompt: PROMPT },
    events: [{ choices: [{ index: 0, text: ANSWER }] }],
  },
  {
    path: '/v1/responses',
    body: { model: 'm', stream: true, input: PROMPT, instructions: PROMPT },
    events: [{ type: 'response.output_text.delta', delta: ANSWER }],
  },
  { path: '/v1/embeddings', body: { model: 'm', input: PROMPT }, events: [{ data: [] }] },
  {
    path: '/v1/messages',
    body: { ...chat, system: PROMPT },
    events: [{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ANSWER } }],
  },
  { path: '/v1/complete', body: { model: 'm', stream: true, prompt: PROMPT }, events: [{ completion: ANSWER }] },
  {
    path: '/v1beta/models/gemini-x:streamGenerateContent',
    body: { contents: [{ parts: [{ text: PROMPT }] }] },
    events: [{ candidates: [{ content: { parts: [{ text: ANSWER }] } }] }],
  },
  { path: '/api/chat', body: chat, events: [{ message: { content: ANSWER }, done: false }], ndjson: true },
  {
    path: '/api/generate',
    body: { model: 'm', prompt: PROMPT },
    events: [{ response: ANSWER, done: false }],
    ndjson: true,
  },
  { path: '/generate_stream', body: { inputs: PROMPT }, events: [{ token: { text: ANSWER } }] },
  { path: '/generate', body: { text: PROMPT, stream: true }, events: [{ text: ANSWER }] },
  { path: '/completion', body: { prompt: PROMPT, stream: true }, events: [{ content: ANSWER }] },
  {
    path: '/v2/chat',
    body: chat,
    events: [{ type: 'content-delta', delta: { message: { content: { text: ANSWER } } } }],
  },
  { path: '/model/some.model/converse-stream', body: { messages: [{ content: [{ text: PROMPT }] }] }, events: [{}] },
  {
    path: '/ml/v1/text/chat_stream',
    body: { ...chat, model_id: 'm' },
    events: [{ choices: [{ index: 0, delta: { content: ANSWER } }] }],
  },
  { path: '/whatever/else', body: { note: PROMPT }, events: [{ note: ANSWER }] },
];

const pieces = ({ events, ndjson }: Shape) =>
  events.map((event) => (ndjson ? `${JSON.stringify(event)}\n` : `data: ${JSON.stringify(event)}\n\n`)).join('');
const chunked = (text: string | Buffer) => {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
};
const head = (status: string, ...lines: string[]) =>
  Buffer.from([`HTTP/1.1 ${status}`, `Set-Cookie: s=${CANARY}`, ...lines, '', ''].join('\r\n'));
const streamHead = (shape: Shape, ...lines: string[]) =>
  head(
    '200 OK',
    `Content-Type: ${shape.ndjson ? 'application/x-ndjson' : 'text/event-stream'}`,
    'Transfer-Encoding: chunked',
    ...lines,
  );
const body = (status: string, text: string) =>
  Buffer.concat([head(status, 'Content-Type: application/json', `Content-Length: ${text.length}`), Buffer.from(text)]);
const complaint = JSON.stringify({
  error: { message: `bad prompt ${PROMPT} for key ${KEY}`, type: CANARY, code: CANARY },
});
const lastChunk = Buffer.from('0\r\n\r\n');

/** How an upstream may answer. Each gets the connection after the request was read. */
const ENDINGS: Readonly<Record<string, (connection: RawSocket, shape: Shape) => void>> = {
  'a whole stream': (up, shape) => up.write(Buffer.concat([streamHead(shape), chunked(pieces(shape)), lastChunk])),
  'a compressed stream': (up, shape) =>
    up.write(Buffer.concat([streamHead(shape, 'Content-Encoding: gzip'), chunked(gzipSync(pieces(shape))), lastChunk])),
  'damaged compression': (up, shape) =>
    up.write(Buffer.concat([streamHead(shape, 'Content-Encoding: gzip'), chunked(pieces(shape)), lastChunk])),
  'one body': (up, shape) => up.write(body('200 OK', JSON.stringify(shape.events[0]))),
  'events that are no JSON': (up, shape) =>
    up.write(Buffer.concat([streamHead(shape), chunked(`data: {"${CANARY}\n\ndata: ${ANSWER}\n\n`), lastChunk])),
  'a failure amid the stream': (up, shape) =>
    up.write(Buffer.concat([streamHead(shape), chunked(pieces(shape)), chunked(`data: ${complaint}\n\n`), lastChunk])),
  'a stream that is cut': (up, shape) => {
    up.write(Buffer.concat([streamHead(shape), chunked(pieces(shape))]));
    up.end();
  },
  'a stream that is reset': (up, shape) => {
    up.write(Buffer.concat([streamHead(shape), chunked(pieces(shape))]));
    setTimeout(() => up.reset(), 20);
  },
  'a refusal': (up) => up.write(body('400 Bad Request', complaint)),
  'a refusal of the key': (up) => up.write(body('401 Unauthorized', complaint)),
  'a failure': (up) => up.write(body('500 Internal Server Error', complaint)),
  'a reset': (up) => up.reset(),
  'no HTTP': (up) => up.write(`${CANARY} ${ANSWER}\r\n\r\n`),
  'no answer in time': () => {},
};

/** Answers by what the request asks for in `x-case`. */
function scripted(connection: RawSocket): Promise<void> {
  return (async () => {
    for (;;) {
      const { headerLines } = await connection.message();
      const field = (name: string) =>
        headerLines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
      const shape = SHAPES[Number(field('x-shape'))];
      if (shape !== undefined) ENDINGS[field('x-case')]?.(connection, shape);
    }
  })();
}

const ADMIN_PATHS = [
  '/',
  '/metrics',
  '/healthz',
  '/readyz',
  '/api/snapshot',
  '/api/users',
  '/api/operating-curve',
  `/api/plan?tokens_per_day=1000&token=${ADMIN_TOKEN}`,
  `/nothing?key=${KEY}`,
  '/%zz',
] as const;

async function startGateway(upstream: string) {
  const timeouts = { headers: '150ms', connect: '1s' };
  return await runningApp({
    upstreams: [
      { url: 'http://127.0.0.1:9', match: { path: '/unreachable' }, timeouts },
      { url: 'http://127.0.0.1:9', match: { host: 'nobody.test', path: '/nobody' }, timeouts },
      { url: upstream, timeouts },
    ],
    config: {
      admin: { listen: '127.0.0.1:0', token: ADMIN_TOKEN },
      identity: { user: [{ api_key: 'hash' }, { body: 'user' }], salt: SALT },
    },
  });
}

/** Sends a request and reads until the connection ends or the answer is there; what was answered. */
async function exchange(port: number, bytes: Buffer, leaveAfterMs?: number): Promise<string> {
  await using client = await rawClient(port);
  client.write(bytes);
  if (leaveAfterMs !== undefined) {
    await new Promise((resolve) => setTimeout(resolve, leaveAfterMs));
    return '';
  }
  await client.closed();
  return client.received.toString('latin1');
}

function asking(shape: number, ending: string, credentials: (typeof CREDENTIALS)[number]): Buffer {
  const { path = '', body: asked = {} } = SHAPES[shape] ?? {};
  const text = JSON.stringify(asked);
  const { headers = [], query = '', authority = '' } = credentials;
  return request(
    `POST ${authority}${path}${query}`,
    [
      'Connection: close',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(text)}`,
      `x-shape: ${shape}`,
      `x-case: ${ending}`,
      ...headers,
    ],
    Buffer.from(text),
  );
}

/** Whatever the admin port says to anyone, with its token and without. */
async function adminAnswers(url: string): Promise<string> {
  const told: string[] = [];
  for (const path of ADMIN_PATHS) {
    for (const authorization of [`Bearer ${ADMIN_TOKEN}`, `Bearer ${CANARY}`, `Basic ${BASIC}`]) {
      for (const accept of ['*/*', 'application/openmetrics-text']) {
        const answer = await fetch(`${url}${path}`, { headers: { authorization, accept } });
        told.push(JSON.stringify([...answer.headers]), await answer.text());
      }
    }
  }
  return told.join('\n');
}

function expectNoLeak(place: string, text: string): void {
  for (const leak of LEAKS) {
    const at = text.indexOf(leak);
    expect(at === -1 ? '' : `${place}: ${text.slice(Math.max(0, at - 200), at + 60)}`).toBe('');
  }
}

describe('keys, prompts and answers', () => {
  it('are in no log, metric, record, admin answer or error, in whatever way a request ends', async () => {
    await using upstream = await RawUpstream.start(scripted);
    await using gateway = await startGateway(upstream.url);
    const own: string[] = [];
    let sent = 0;
    const send = async (bytes: Buffer, leaveAfterMs?: number) => {
      sent += 1;
      const answer = await exchange(gateway.port, bytes, leaveAfterMs);
      if (answer.includes('x-pitot-error')) own.push(answer);
    };
    await Promise.all(
      SHAPES.flatMap((_shape, shape) =>
        Object.keys(ENDINGS).map((ending, index) =>
          send(asking(shape, ending, CREDENTIALS[(shape + index) % CREDENTIALS.length] ?? {})),
        ),
      ),
    );
    for (const credentials of CREDENTIALS) {
      await send(asking(0, 'a whole stream', credentials));
      await send(asking(0, 'no answer in time', credentials), 30);
    }
    const unread = `{"model":"m","stream":true,"messages":[{"content":"${CANARY}`;
    await send(request(`POST /unreachable/${'x'}?key=${KEY}`, ['Connection: close', `x-api-key: ${KEY}`]));
    await send(request('POST /v1/chat/completions', [`x-api-key: ${KEY}`, 'Content-Length: 9999'], unread), 30);
    await vi.waitFor(async () => expect((await gateway.usageLog()).split('\n')).toHaveLength(sent + 1), 15_000);

    const refused = await Promise.all(
      [
        `CONNECT user:${CANARY}@elsewhere:443 HTTP/1.1\r\nHost: a\r\nAuthorization: Basic ${BASIC}\r\n\r\n`,
        `GET /?key=${KEY} HTTP/1.1\r\nHost: a\r\nbad header ${CANARY}\r\n\r\n`,
        `GET /?key=${KEY} HTTP/1.1\r\nHost: a\r\nx-api-key: ${CANARY.repeat(20_000)}\r\n\r\n`,
        `GET /?key=${KEY} HTTP/1.1\r\nHost: ${CANARY}\r\nHost: ${CANARY}\r\n\r\n`,
        `POST /?key=${KEY} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ${CANARY}\r\n\r\n`,
        `${CANARY}\r\n\r\n`,
      ].map((bytes) => exchange(gateway.port, Buffer.from(bytes))),
    );
    for (const answer of refused) expect(answer).toMatch(/^HTTP\/1\.1 4/);

    const [records, written, admin] = [
      await gateway.usageLog(),
      await gateway.written(),
      await adminAnswers(gateway.adminUrl),
    ];
    expect(own.length).toBeGreaterThan(SHAPES.length);
    expect(records.match(/"output_tokens":[1-9]/g)?.length).toBeGreaterThan(SHAPES.length);
    expect(written.match(/"msg":"request"/g)).toHaveLength(sent);
    expectNoLeak('an error of the gateway', own.join('\n'));
    expectNoLeak('a refusal', refused.join('\n'));
    expectNoLeak('the logs', written);
    expectNoLeak('the admin port', admin);
    expect(admin).toContain('pitot_requests_total');
  });

  it('name a user only by a hash that the salt keys, the same however the key is shown', async () => {
    await using upstream = await RawUpstream.start(scripted);
    await using gateway = await startGateway(upstream.url);
    const ways = CREDENTIALS.filter(
      ({ headers, query }) => headers?.some((line) => line.endsWith(` ${KEY}`)) || query === `?key=${KEY}`,
    );
    for (const way of ways) await exchange(gateway.port, asking(0, 'a whole stream', way));
    await vi.waitFor(async () => expect((await gateway.usageLog()).split('\n')).toHaveLength(ways.length + 1), 10_000);
    const records = (await gateway.usageLog()).trimEnd().split('\n');
    const hash = createHmac('sha256', SALT).update(KEY).digest('hex').slice(0, 16);
    expect(new Set(records.map((line) => JSON.parse(line).user))).toEqual(new Set([`key-${hash}`]));
  });
});

describe('who a user is', () => {
  it('is taken from nothing that is not configured', async () => {
    await using upstream = await RawUpstream.start(scripted);
    await using gateway = await runningApp({ upstreams: upstream.url });
    await exchange(gateway.port, asking(0, 'a whole stream', { headers: [`x-user-id: ${CANARY}`, `From: ${CANARY}`] }));
    await vi.waitFor(async () => expect(await gateway.usageLog()).toContain('\n'), 10_000);
    expect(JSON.parse(await gateway.usageLog()).user).toBeNull();
    expectNoLeak('the logs', await gateway.written());
    expect(await gateway.written()).not.toContain('someone');
  });
});

describe('an admin port that others can reach', () => {
  it('stays behind its token when a reload would open it, although the new address is a local one', async () => {
    await using gateway = await runningApp({
      upstreams: 'http://127.0.0.1:9',
      config: { admin: { listen: '0.0.0.0:0', token: ADMIN_TOKEN } },
    });
    const status = async () => (await fetch(`${gateway.adminUrl.replace('0.0.0.0', '127.0.0.1')}/metrics`)).status;
    expect(await status()).toBe(401);
    const open = configOf('http://127.0.0.1:9', { admin: { listen: '127.0.0.1:0' } });
    expect(() => gateway.app.reload(open)).toThrow('until a restart the admin port is 0.0.0.0:0');
    expect(await status()).toBe(401);
    gateway.app.reload(configOf('http://127.0.0.1:9', { admin: { listen: '127.0.0.1:0', public: true } }));
    expect(await status()).toBe(200);
  });
});
