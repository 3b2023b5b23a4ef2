import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText, tool } from 'ai';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type CorpusEntry, corpusBody, corpusEntries } from '../helpers/corpus.ts';
import { PitotProcess } from '../helpers/pitot-process.ts';
import { RecordedUpstream } from '../helpers/recorded-upstream.ts';

const entries = corpusEntries(['openai.chat']);
const withTools = (entries ?? []).filter(
  ({ framing, status, features }) => framing === 'sse' && status === 200 && features.includes('tool_calls'),
);

const MESSAGES = [{ role: 'user' as const, content: 'What is the weather?' }];

/** Every part that the `openai` SDK makes of a stream. */
async function withOpenai(baseURL: string): Promise<unknown[]> {
  const client = new OpenAI({ baseURL: `${baseURL}/v1`, apiKey: 'sk-test', maxRetries: 0 });
  const parts: unknown[] = [];
  const stream = await client.chat.completions.create({ model: 'm', messages: MESSAGES, stream: true });
  for await (const part of stream) parts.push(part);
  return parts;
}

/** Every part that the `ai` SDK makes of a stream, less what is made anew each time. */
async function withAi(baseURL: string): Promise<unknown[]> {
  const provider = createOpenAICompatible({ name: 'pitot', baseURL: `${baseURL}/v1`, apiKey: 'sk-test' });
  const { fullStream } = streamText({
    model: provider('m'),
    messages: MESSAGES,
    maxRetries: 0,
    onError: () => {},
    tools: { weather: tool({ description: 'weather', inputSchema: z.object({}).loose() }) },
  });
  const parts: unknown[] = [];
  for await (const part of fullStream) {
    const plain = JSON.stringify(part, (key, value) => (VOLATILE.has(key) ? undefined : value));
    parts.push(JSON.parse(plain));
  }
  return parts;
}

/** Made by the SDK itself for every stream. */
const VOLATILE = new Set(['id', 'toolCallId', 'timestamp', 'headers', 'error', 'messageId']);

async function outcome(run: Promise<unknown[]>): Promise<unknown> {
  return await run.catch((error: unknown) => `failed: ${error instanceof Error ? error.message : error}`);
}

describe.skipIf(entries === null)('a client that cannot tell Pitot from its upstream', () => {
  beforeAll(() => {
    expect(withTools.length).toBeGreaterThan(5);
  });

  async function both(entry: CorpusEntry, client: (baseURL: string) => Promise<unknown[]>) {
    const answer = { status: entry.status, contentType: entry.content_type, body: corpusBody(entry), cut: 97 };
    await using upstream = new RecordedUpstream(answer);
    const url = await upstream.start();
    await using pitot = await PitotProcess.serve(['--upstream', url]);
    const direct = await outcome(client(url));
    const through = await outcome(client(pitot.url));
    return { direct, through, bodies: upstream.bodies };
  }

  it.each(withTools.map((entry) => [entry.file, entry] as const))('openai, %s', async (_file, entry) => {
    const { direct, through, bodies } = await both(entry, withOpenai);
    expect(direct, 'the SDK reads the recording').toBeInstanceOf(Array);
    expect(through).toEqual(direct);
    expect(bodies[1]).toBe(bodies[0]);
  });

  it.each(withTools.map((entry) => [entry.file, entry] as const))('ai, %s', async (_file, entry) => {
    const { direct, through, bodies } = await both(entry, withAi);
    expect(direct, 'the SDK reads the recording').toBeInstanceOf(Array);
    expect(through).toEqual(direct);
    expect(bodies[1]).toBe(bodies[0]);
  });
});
