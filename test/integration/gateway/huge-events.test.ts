import { createHash, type Hash } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { TestGateway } from '../../helpers/gateway.ts';
import { chunk, LAST_CHUNK } from '../../helpers/http-bytes.ts';
import type { RawSocket } from '../../helpers/raw-socket.ts';
import { RawUpstream } from '../../helpers/raw-upstream.ts';

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;
/** `limits.event_bytes` as it is by default. */
const EVENT_BYTES = 4 * MEBIBYTE;
/** What is held of an event, also while it is copied into a larger buffer, and something for sockets and the test itself. */
const memoryBytes = (eventBytes: number) => 4 * eventBytes + 2 * MEBIBYTE;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Memory in use: what a full collection leaves, on the heap and in buffers. What the first frees is given back behind it. */
async function usedBytes(): Promise<number> {
  collectGarbage();
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** An answer with one event that is far larger than all others. */
interface HugeAnswer {
  name: string;
  path: string;
  contentType: string;
  before: string;
  /** The huge event: `open`, then `fill` bytes of filling, then `close`. */
  open: string;
  fill: number;
  close: string;
  after: string;
  /** Bytes a write, each sent when the client has everything before it. */
  step: number;
  eventBytes?: number;
  isGivenUp: boolean;
  record: Record<string, unknown>;
}

const sse = (message: unknown): string => `data: ${JSON.stringify(message)}\n\n`;
const named = (message: { type: string; [key: string]: unknown }): string => `event: ${message.type}\n${sse(message)}`;
/** The text before and behind the place where the filling stands. */
const around = (text: string): { open: string; close: string } => {
  const [open = '', close = ''] = text.split('FILL');
  return { open, close };
};

const chat = (content: string) => sse({ model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const CHAT_USAGE = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };
const CHAT: Pick<HugeAnswer, 'path' | 'contentType' | 'before' | 'after' | 'record'> = {
  path: '/v1/chat/completions',
  contentType: 'text/event-stream',
  before: chat('Hello'),
  after: `${chat(' you')}${sse({ model: 'm', choices: [], usage: CHAT_USAGE })}data: [DONE]\n\n`,
  record: { api: 'openai.chat', input_tokens: 9, output_tokens: 5 },
};

const picture = (data: string) => ({
  candidates: [{ content: { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data } }] }, index: 0 }],
});
const said = (text: string, more = {}) => ({ candidates: [{ content: { parts: [{ text }] }, index: 0, ...more }] });
const GEMINI_END = {
  ...said(' Done.', { finishReason: 'STOP' }),
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 1290, totalTokenCount: 1299 },
};
const GEMINI = { api: 'gemini.generate', input_tokens: 9, output_tokens: 1290 };

const SIGNATURE: Omit<HugeAnswer, 'name' | 'isGivenUp'> = {
  path: '/v1/messages',
  contentType: 'text/event-stream; charset=utf-8',
  before:
    named({ type: 'message_start', message: { model: 'm', usage: { input_tokens: 9, output_tokens: 1 } } }) +
    named({ type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }) +
    named({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Let me see.' } }),
  ...around(named({ type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'FILL' } })),
  fill: 300 * KIBIBYTE,
  after:
    named({ type: 'content_block_stop', index: 0 }) +
    named({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } }) +
    named({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Yes.' } }) +
    named({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 12 } }) +
    named({ type: 'message_stop' }),
  step: 1_499,
  record: { api: 'anthropic.messages', input_tokens: 9, output_tokens: 12 },
};

const HUGE: readonly HugeAnswer[] = [
  {
    name: 'a single event of 64 MiB',
    ...CHAT,
    ...around(chat('FILL')),
    fill: 64 * MEBIBYTE,
    step: 256 * KIBIBYTE,
    isGivenUp: true,
  },
  {
    name: 'a picture of 10 MiB in an event',
    path: '/v1beta/models/m:streamGenerateContent?alt=sse',
    contentType: 'text/event-stream',
    before: sse(said('See:')),
    ...around(sse(picture('FILL'))),
    fill: 10 * MEBIBYTE,
    eventBytes: MEBIBYTE,
    after: sse(GEMINI_END),
    step: 256 * KIBIBYTE,
    isGivenUp: true,
    record: GEMINI,
  },
  {
    name: 'a picture of 10 MiB in an element of a list',
    path: '/v1beta/models/m:streamGenerateContent',
    contentType: 'application/json',
    before: `[${JSON.stringify(said('See:'))},\n`,
    ...around(JSON.stringify(picture('FILL'))),
    fill: 10 * MEBIBYTE,
    eventBytes: MEBIBYTE,
    after: `,\n${JSON.stringify(GEMINI_END)}]`,
    step: 256 * KIBIBYTE,
    isGivenUp: true,
    record: GEMINI,
  },
  {
    name: 'a line of 10 MiB',
    path: '/api/chat',
    contentType: 'application/x-ndjson',
    before: '{"model":"m","message":{"role":"assistant","content":"Hello"},"done":false}\n',
    ...around('{"model":"m","message":{"role":"assistant","content":"FILL"},"done":false}\n'),
    fill: 10 * MEBIBYTE,
    eventBytes: MEBIBYTE,
    after:
      '{"model":"m","message":{"role":"assistant","content":" you"},"done":false}\n' +
      '{"model":"m","message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":9,"eval_count":5}\n',
    step: 256 * KIBIBYTE,
    isGivenUp: true,
    record: { api: 'ollama.chat', input_tokens: 9, output_tokens: 5 },
  },
  { name: 'a signature of 300 KiB in small pieces', ...SIGNATURE, isGivenUp: false },
  { name: 'such a signature beyond the bound', ...SIGNATURE, eventBytes: 64 * KIBIBYTE, isGivenUp: true },
];

/** Reads an answer and keeps nothing of it but its length and its hash. */
class Reader {
  readonly hash: Hash = createHash('sha256');
  bytes = 0;
  isOver = false;
  #onBytes: () => void = () => {};

  constructor(port: number, { path }: HugeAnswer) {
    const headers = { 'content-type': 'application/json' };
    const request = httpRequest({ port, host: '127.0.0.1', method: 'POST', path, headers, agent: false });
    request.on('response', (answer) => this.#read(answer));
    request.end('{"model":"m","stream":true}');
  }

  /** Resolves when the claim about what came holds. */
  async until(claim: () => boolean): Promise<void> {
    while (!claim()) {
      await new Promise<void>((resolve) => {
        this.#onBytes = resolve;
      });
    }
  }

  #read(answer: IncomingMessage): void {
    answer.on('data', (bytes: Buffer) => {
      this.hash.update(bytes);
      this.bytes += bytes.length;
      this.#onBytes();
    });
    answer.on('end', () => {
      this.isOver = true;
      this.#onBytes();
    });
  }
}

/** Sends the answer in steps, the next one only when the client has the last: a relay that held anything back would stop here. */
class Sender {
  readonly hash: Hash = createHash('sha256');
  /** The most memory in use at any of a few moments in the middle of the huge event, beyond that before it. */
  grownBytes = 0;
  readonly #connection: RawSocket;
  readonly #reader: Reader;
  #sent = 0;

  constructor(connection: RawSocket, reader: Reader) {
    this.#connection = connection;
    this.#reader = reader;
  }

  async send({ contentType, before, open, fill, close, after, step }: HugeAnswer): Promise<void> {
    this.#connection.write(`HTTP/1.1 200 OK\r\nContent-Type: ${contentType}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    await this.#step(Buffer.from(before));
    const usedBefore = await usedBytes();
    await this.#step(Buffer.from(open));
    const filling = Buffer.alloc(step, 'Zm9v');
    const looks = Math.max(1, Math.floor(fill / step / 16));
    for (let at = 0, turn = 0; at < fill; at += step, turn += 1) {
      await this.#step(filling.subarray(0, Math.min(step, fill - at)));
      if (turn % looks === 0) this.grownBytes = Math.max(this.grownBytes, (await usedBytes()) - usedBefore);
    }
    await this.#step(Buffer.from(close));
    await this.#step(Buffer.from(after));
    this.#connection.write(LAST_CHUNK);
  }

  async #step(bytes: Buffer): Promise<void> {
    this.#connection.write(chunk(bytes));
    this.hash.update(bytes);
    this.#sent += bytes.length;
    await this.#reader.until(() => this.#reader.bytes >= this.#sent);
  }
}

describe('a huge event reaches the client as it comes, and only its metering is given up', () => {
  test.each(HUGE)('$name', async (huge) => {
    const { eventBytes = EVENT_BYTES, isGivenUp, record: expected } = huge;
    await using upstream = await RawUpstream.start();
    await using gateway = await TestGateway.start(upstream.url, { config: { limits: { event_bytes: eventBytes } } });
    const reader = new Reader(gateway.port, huge);
    const connection = await upstream.connection();
    await connection.message();
    const sender = new Sender(connection, reader);
    await sender.send(huge);
    await reader.until(() => reader.isOver);
    expect(reader.hash.digest('hex')).toBe(sender.hash.digest('hex'));
    expect(sender.grownBytes).toBeLessThan(memoryBytes(eventBytes));
    expect(await gateway.record()).toMatchObject({
      outcome: 'complete',
      stream: true,
      usage_source: 'reported',
      response_bytes: reader.bytes,
      ...expected,
    });
    expect(gateway.degraded).toEqual(isGivenUp ? ['event_too_large'] : []);
  });
});
