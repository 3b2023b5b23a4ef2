import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CorpusEntry, corpusEntries } from '../helpers/corpus.ts';
import { casesOf, type Made, recordingOf, SameThroughPitot, type SdkClient } from '../helpers/same-through-pitot.ts';

const entries = corpusEntries(['anthropic.messages']);
const streamed = casesOf(entries, ({ framing, status }) => framing === 'sse' && status === 200);
const unstreamed = casesOf(entries, ({ framing, status }) => framing === 'json' && status === 200);
const failed = casesOf(entries, ({ status }) => status >= 400);
const EXPECTED = { api: 'anthropic.messages' };

type Messages = Anthropic['messages'];
type Params = Anthropic.MessageCreateParamsNonStreaming;

/** The resource behind the recorded path; the beta one asks for the same things at `?beta=true`. */
function messagesOf(origin: string, entry: CorpusEntry): Messages {
  const client = new Anthropic({ baseURL: origin, apiKey: 'sk-ant-test', maxRetries: 0 });
  return entry.path.includes('beta=true') ? (client.beta.messages as unknown as Messages) : client.messages;
}

/** What was asked when the recording was made, of a model that the SDK does not warn of as outdated. */
function paramsOf(entry: CorpusEntry): Params {
  const { stream: _, ...params } = entry.request ?? {};
  return { ...params, model: 'claude-recorded' } as unknown as Params;
}

/** Anthropic counts the input without what was read from and written to the cache. */
function madeOf(parts: unknown, { usage }: Anthropic.Message): Made {
  const input = usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  return { parts, counts: { input, output: usage.output_tokens } };
}

const streaming =
  (entry: CorpusEntry): SdkClient =>
  async (origin) => {
    const stream = messagesOf(origin, entry).stream(paramsOf(entry));
    const events: unknown[] = [];
    for await (const event of stream) events.push(event);
    const message = await stream.finalMessage();
    return madeOf([...events, message], message);
  };

const creating =
  (entry: CorpusEntry): SdkClient =>
  async (origin) => {
    const message = await messagesOf(origin, entry).create(paramsOf(entry));
    return madeOf([message], message);
  };

describe.skipIf(entries === null)('an Anthropic client that cannot tell Pitot from its upstream', () => {
  let both: SameThroughPitot;

  beforeAll(async () => {
    both = await SameThroughPitot.start();
    for (const feature of ['tool_calls', 'block:thinking', 'cached_tokens', 'citations']) {
      expect(
        streamed.some(({ entry }) => entry.features.includes(feature)),
        feature,
      ).toBe(true);
    }
  });
  afterAll(() => both[Symbol.asyncDispose]());

  it.each(streamed)('messages.stream, $name', async ({ entry }) => {
    const { parts } = await both.expectSame(recordingOf(entry), streaming(entry), EXPECTED);
    expect(JSON.stringify(parts)).toContain('"message_stop"');
  });

  it.each(unstreamed)('messages.create, $name', async ({ entry }) => {
    await both.expectSame(recordingOf(entry), creating(entry), EXPECTED);
  });

  it.each(failed)('messages.create is refused, $name', async ({ entry }) => {
    await both.expectSame(recordingOf(entry), creating(entry), {
      ...EXPECTED,
      outcome: 'upstream_error',
      fails: true,
    });
  });
});
