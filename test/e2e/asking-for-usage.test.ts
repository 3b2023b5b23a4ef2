import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { PitotProcess } from '../helpers/pitot-process.ts';

const MESSAGES = [{ role: 'user' as const, content: 'Hello' }];
const TEXTS = ['Good ', 'morning', '!'];
const USAGE = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
/** Made anew for every stream by the SDK. */
const VOLATILE = new Set(['id', 'timestamp', 'headers', 'messageId']);

/** Streams as llama.cpp does: the usage chunk for who asks, and its name on every answer. */
class UsageServer implements AsyncDisposable {
  readonly asked: boolean[] = [];
  readonly #server: Server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += String(piece);
    const body = JSON.parse(text);
    const wantsUsage = body.stream_options?.include_usage === true;
    this.asked.push(wantsUsage);
    response.writeHead(200, { 'content-type': 'text/event-stream', server: 'llama.cpp' });
    const say = (choices: object[], rest = {}) =>
      response.write(
        `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...rest })}\n\n`,
      );
    for (const content of TEXTS) {
      say([{ index: 0, delta: { content }, finish_reason: null }]);
      await new Promise((resolve) => setImmediate(resolve));
    }
    say([{ index: 0, delta: {}, finish_reason: 'stop' }]);
    if (wantsUsage) say([], { usage: USAGE });
    response.end('data: [DONE]\n\n');
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function withOpenai(baseURL: string, asks: boolean): Promise<unknown[]> {
  const client = new OpenAI({ baseURL: `${baseURL}/v1`, apiKey: 'sk-test', maxRetries: 0 });
  const more = asks ? { stream_options: { include_usage: true } } : {};
  const stream = await client.chat.completions.create({ model: 'm', messages: MESSAGES, stream: true, ...more });
  const parts: unknown[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

async function withAi(baseURL: string, asks: boolean): Promise<unknown[]> {
  const provider = createOpenAICompatible({ name: 'p', baseURL: `${baseURL}/v1`, apiKey: 'k', includeUsage: asks });
  const { fullStream } = streamText({ model: provider('m'), messages: MESSAGES, maxRetries: 0 });
  const parts: unknown[] = [];
  for await (const part of fullStream) {
    parts.push(JSON.parse(JSON.stringify(part, (key, value) => (VOLATILE.has(key) ? undefined : value))));
  }
  return parts;
}

describe('asking for usage on behalf of a client', () => {
  it.each([
    ['openai', withOpenai],
    ['ai', withAi],
  ])('%s sees no difference, and the count is the server’s own', async (_name, client) => {
    await using server = new UsageServer();
    const url = await server.start();
    await using pitot = await PitotProcess.serve(['--upstream', url]);
    const direct = await client(url, false);
    const through = [await client(pitot.url, false), await client(pitot.url, false)];
    expect(through).toEqual([direct, direct]);
    // The first answer through Pitot showed the engine, so the second was asked.
    expect(server.asked).toEqual([false, false, true]);
    expect(await client(pitot.url, true)).toEqual(await client(url, true));
    expect(await pitot.metric('pitot_usage_asks_total', 'result="answered"')).toBe(1);
    expect(await pitot.metric('pitot_usage_asks_total')).toBe(1);
    expect(await pitot.metric('pitot_metered_requests_total', 'source="reported"')).toBe(2);
    expect(await pitot.metric('pitot_upstream_info', 'engine="llama.cpp"')).toBe(1);
  });
});
