import { get, request } from 'node:http';
import { createParser } from 'eventsource-parser';
import { afterEach, describe, expect, it } from 'vitest';
import { type DemoEngine, type DemoEngineOptions, startDemoEngine } from '../../src/demo/engine-server.ts';
import { until } from '../helpers/until.ts';

/** Quick steps, so that an answer of 20 tokens takes a tenth of a second. */
const QUICK = { stepBaseMs: 4, stepPerRequestMs: 0.1, prefillTokensPerSecond: 200_000 };

let engine: DemoEngine | null = null;
afterEach(async () => {
  await engine?.close();
  engine = null;
});

async function start(options: DemoEngineOptions = {}): Promise<DemoEngine> {
  engine = await startDemoEngine({ ...options, profile: { ...QUICK, ...options.profile } });
  return engine;
}

interface Ask {
  path?: string;
  headers?: Record<string, string>;
  body: object;
}

const chat = (fields: object): Ask => ({
  body: { messages: [{ role: 'user', content: 'x'.repeat(400) }], max_tokens: 20, ignore_eos: true, ...fields },
});

function post(url: string, ask: Ask): Promise<Response> {
  return fetch(`${url}${ask.path ?? '/v1/chat/completions'}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...ask.headers },
    body: JSON.stringify(ask.body),
  });
}

interface Chunk {
  id: string;
  object: string;
  model: string;
  choices?: { delta?: { role?: string; content?: string }; text?: string; finish_reason: string | null }[];
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  error?: { message: string };
}

/** The events of a stream; the marker `[DONE]` apart. */
async function eventsOf(response: Response): Promise<{ chunks: Chunk[]; done: number }> {
  const found: { chunks: Chunk[]; done: number } = { chunks: [], done: 0 };
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]') found.done += 1;
      else found.chunks.push(JSON.parse(data));
    },
  });
  parser.feed(await response.text());
  return found;
}

const output = ({ choices }: Chunk) => choices?.[0]?.delta?.content ?? choices?.[0]?.text ?? '';

describe('a streamed chat', () => {
  it('opens with a role, gives one token an event, and ends with a reason and [DONE]', async () => {
    const { url } = await start();
    const response = await post(url, chat({ stream: true }));
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('server')).toBe('pitot-demo-engine');
    const { chunks, done } = await eventsOf(response);
    expect(done).toBe(1);
    expect(chunks).toHaveLength(21);
    expect(chunks[0]?.choices?.[0]?.delta).toEqual({ role: 'assistant', content: '' });
    expect(chunks.filter((chunk) => output(chunk) !== '')).toHaveLength(20);
    expect(chunks.map((chunk) => chunk.choices?.[0]?.finish_reason)).toEqual([...Array(20).fill(null), 'length']);
    expect(chunks.every((chunk) => chunk.usage === undefined && chunk.model === 'pitot-demo-8b')).toBe(true);
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    expect(chunks.map(output).join('')).toContain('simulated by the demo engine of Pitot. No model wrote it.');
  });

  it('reports usage in a chunk of its own where it was asked', async () => {
    const { url } = await start();
    const response = await post(url, chat({ stream: true, stream_options: { include_usage: true } }));
    const { chunks } = await eventsOf(response);
    expect(chunks).toHaveLength(22);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
    });
    expect(chunks.filter((chunk) => chunk.usage !== undefined)).toHaveLength(1);
  });

  it('counts along in every chunk where that was asked', async () => {
    const { url } = await start();
    const options = { include_usage: true, continuous_usage_stats: true };
    const { chunks } = await eventsOf(await post(url, chat({ stream: true, stream_options: options })));
    const counts = chunks.map((chunk) => chunk.usage?.completion_tokens);
    expect(counts).toEqual([...Array.from({ length: 21 }, (_, tokens) => tokens), 20]);
  });

  it('holds several tokens in one chunk under speculative decoding, and counts them all', async () => {
    const { url } = await start({ profile: { speculation: { draftTokens: 4, acceptance: 1 } } });
    const response = await post(url, chat({ stream: true, max_tokens: 21, stream_options: { include_usage: true } }));
    const { chunks } = await eventsOf(response);
    const pieces = chunks.map(output).filter((text) => text !== '');
    expect(pieces.map((text) => text.trim().split(' ').length)).toEqual([1, 5, 5, 5, 5]);
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(21);
  });
});

describe('other answers', () => {
  it('an unstreamed chat is one JSON with the same tokens', async () => {
    const { url } = await start();
    const response = await post(url, chat({}));
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({
      object: 'chat.completion',
      choices: [
        { message: { role: 'assistant', content: expect.stringContaining('simulated') }, finish_reason: 'length' },
      ],
      usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
    });
  });

  it('a text completion streams without a role, and is whole without a stream', async () => {
    const { url } = await start();
    const ask = { path: '/v1/completions', body: { prompt: 'abcdefgh', max_tokens: 5, stream: true } };
    const { chunks, done } = await eventsOf(await post(url, ask));
    expect([chunks.length, done]).toEqual([5, 1]);
    expect(chunks.every((chunk) => chunk.object === 'text_completion' && output(chunk) !== '')).toBe(true);
    const whole = await post(url, { path: '/v1/completions', body: { prompt: 'abcdefgh', max_tokens: 5 } });
    expect(await whole.json()).toMatchObject({
      choices: [{ text: chunks.map(output).join('') }],
      usage: { prompt_tokens: 2, completion_tokens: 5 },
    });
  });

  it('lists its model, is healthy, and tells its own counts', async () => {
    const { url } = await start();
    await (await post(url, chat({}))).text();
    expect(await (await fetch(`${url}/v1/models`)).json()).toMatchObject({ data: [{ id: 'pitot-demo-8b' }] });
    expect((await fetch(`${url}/health`)).status).toBe(200);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('vllm:generation_tokens_total{model_name="pitot-demo-8b"} 20\n');
    expect(metrics).toContain('vllm:prompt_tokens_total{model_name="pitot-demo-8b"} 100\n');
    expect(metrics).toContain('vllm:num_requests_running{model_name="pitot-demo-8b"} 0\n');
  });

  it.each([
    ['/v1/chat/completions', { model: 'gpt-4o', messages: [{ role: 'user', content: 'x' }] }, 404],
    ['/v1/chat/completions', { messages: [] }, 400],
    ['/v1/embeddings', {}, 404],
  ])('refuses what it cannot do with an error in the shape of OpenAI: %s %j', async (path, body, status) => {
    const { url } = await start();
    const response = await post(url, { path, body });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { message: expect.any(String), code: status } });
  });
});

describe('many at once', () => {
  it('all tokens add up to the truth, and nothing is left behind', async () => {
    const { url, truth } = await start({ profile: { slots: 8 } });
    const usage = { stream: true, stream_options: { include_usage: true } };
    const answers = await Promise.all(
      Array.from({ length: 24 }, async (_, index) =>
        eventsOf(await post(url, chat({ max_tokens: 10 + index, ...usage }))),
      ),
    );
    const reported = answers.map(({ chunks }) => chunks.at(-1)?.usage?.completion_tokens ?? 0);
    expect(reported).toEqual(Array.from({ length: 24 }, (_, index) => 10 + index));
    expect(truth()).toMatchObject({
      submitted: 24,
      finished: 24,
      generatedTokens: reported.reduce((sum, tokens) => sum + tokens, 0),
      prefilledTokens: 24 * 100,
      running: 0,
      waiting: 0,
    });
  });

  it('a client that leaves frees its slot, in the queue, in prefill, in decode and unstreamed', async () => {
    const { url, truth } = await start({
      profile: { slots: 3, prefillTokensPerSecond: 1_000, prefillChunkTokens: 10 },
    });
    const leaving = new AbortController();
    const send = (fields: object) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify(chat({ max_tokens: 30_000, ...fields }).body),
        signal: leaving.signal,
      }).then((response) => response.text());
    const short = [{ role: 'user', content: 'x' }];
    const long = [{ role: 'user', content: 'x'.repeat(8_000) }];
    const sent: Promise<string>[] = [];
    const kinds = [
      { stream: true, messages: short },
      { stream: false, messages: short },
      { stream: true, messages: long },
      { stream: true, messages: short },
    ];
    for (const [index, kind] of kinds.entries()) {
      sent.push(send(kind));
      await until(() => truth().submitted === index + 1);
    }
    await until(() => truth().generatedTokens > 10);
    expect(truth()).toMatchObject({ running: 3, waiting: 1 });
    leaving.abort();
    expect((await Promise.allSettled(sent)).map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
    await until(() => truth().running === 0 && truth().waiting === 0);
    expect(truth()).toMatchObject({ cancelled: 4, finished: 0 });
  });
});

describe('an ordered failure', () => {
  const failing = (order: string, fields: object = {}): Ask => ({
    ...chat({ stream: true, stream_options: { include_usage: true }, ...fields }),
    headers: { 'x-demo-fail': order },
  });

  it('is a status', async () => {
    const { url, truth } = await start();
    const response = await post(url, failing('status:503'));
    expect([response.status, truth().submitted]).toEqual([503, 0]);
    expect(await response.json()).toMatchObject({ error: { code: 503 } });
  });

  it('is an error event and then [DONE]', async () => {
    const { url } = await start();
    const { chunks, done } = await eventsOf(await post(url, failing('error:5')));
    expect(done).toBe(1);
    expect(chunks.map(output).filter((text) => text !== '')).toHaveLength(5);
    expect(chunks.at(-1)?.error?.message).toContain('ordered');
  });

  it('is a stream that ends cleanly without its end', async () => {
    const { url, truth } = await start();
    const { chunks, done } = await eventsOf(await post(url, failing('truncate:5')));
    expect([chunks.length, done]).toEqual([6, 0]);
    expect(chunks.every((chunk) => chunk.usage === undefined)).toBe(true);
    expect(truth()).toMatchObject({ running: 0, cancelled: 1 });
  });

  it('is a stream that is cut', async () => {
    const { url } = await start();
    const response = await post(url, failing('cut:5'));
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
  });

  it('is a reset before any answer', async () => {
    const { url } = await start();
    await expect(post(url, failing('reset'))).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
  });

  it('is no answer at all, until the client leaves', async () => {
    const { url, truth } = await start();
    const leaving = new AbortController();
    const asked = request(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-demo-fail': 'hang' },
      signal: leaving.signal,
    });
    const answered = new Promise((resolve, reject) => asked.on('response', resolve).on('error', reject));
    asked.end('{}');
    // A whole exchange after it: the hanging one had its turn by then.
    await new Promise((resolve) => get(`${url}/health`, resolve));
    leaving.abort();
    await expect(answered).rejects.toMatchObject({ name: 'AbortError' });
    expect(truth().submitted).toBe(0);
  });

  it.each(['', 'explode', 'status:200', 'status', 'cut:-1', 'reset:1'])(
    'is refused when nobody knows it: "%s"',
    async (order) => {
      const { url } = await start();
      expect((await post(url, failing(order))).status).toBe(400);
    },
  );
});

describe('starting and ending', () => {
  it('rejects when the port is taken', async () => {
    const { url } = await start();
    await expect(startDemoEngine({ port: Number(new URL(url).port) })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('breaks what is running and frees its port', async () => {
    const running = await start();
    const response = await post(running.url, chat({ stream: true, max_tokens: 30_000 }));
    await running.close();
    await expect(response.text()).rejects.toThrow();
    await expect(fetch(`${running.url}/health`)).rejects.toThrow();
  });
});
