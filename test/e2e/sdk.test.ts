import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText, tool } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { corpusEntries } from '../helpers/corpus.ts';
import { casesOf, type Made, recordingOf, SameThroughPitot, without } from '../helpers/same-through-pitot.ts';

const entries = corpusEntries(['openai.chat']);
const withTools = casesOf(
  entries,
  ({ framing, status, features }) => framing === 'sse' && status === 200 && features.includes('tool_calls'),
);

const MESSAGES = [{ role: 'user' as const, content: 'What is the weather?' }];
const EXPECTED = { api: 'openai.chat' };
/** Made by the `ai` SDK itself for every stream. */
const VOLATILE = ['id', 'toolCallId', 'timestamp', 'headers', 'error', 'messageId'];

/** Every part that the `openai` SDK makes of a stream. */
async function withOpenai(origin: string): Promise<Made> {
  const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey: 'sk-test', maxRetries: 0 });
  const parts: unknown[] = [];
  const stream = await client.chat.completions.create({ model: 'm', messages: MESSAGES, stream: true });
  for await (const part of stream) parts.push(part);
  return { parts };
}

/** Every part that the `ai` SDK makes of a stream, less what is made anew each time. */
async function withAi(origin: string): Promise<Made> {
  const provider = createOpenAICompatible({ name: 'pitot', baseURL: `${origin}/v1`, apiKey: 'sk-test' });
  const { fullStream } = streamText({
    model: provider('m'),
    messages: MESSAGES,
    maxRetries: 0,
    onError: () => {},
    tools: { weather: tool({ description: 'weather', inputSchema: z.object({}).loose() }) },
  });
  const parts: unknown[] = [];
  for await (const part of fullStream) parts.push(part);
  return { parts: without(VOLATILE, parts) };
}

describe.skipIf(entries === null)('a chat client that cannot tell Pitot from its upstream', () => {
  let both: SameThroughPitot;

  beforeAll(async () => {
    both = await SameThroughPitot.start('never');
    expect(withTools.length).toBeGreaterThan(5);
  });
  afterAll(() => both[Symbol.asyncDispose]());

  it.each(withTools)('openai, $name', async ({ entry }) => {
    const { parts } = await both.expectSame(recordingOf(entry), withOpenai, EXPECTED);
    expect(parts).not.toEqual([]);
  });

  it.each(withTools)('ai, $name', async ({ entry }) => {
    const { parts } = await both.expectSame(recordingOf(entry), withAi, EXPECTED);
    expect(JSON.stringify(parts)).toContain('"tool-call"');
  });
});
