import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CorpusEntry, corpusBody, corpusEntries } from '../helpers/corpus.ts';
import type { RecordedAnswer } from '../helpers/recorded-upstream.ts';
import { casesOf, type Made, recordingOf, SameThroughPitot, type SdkClient } from '../helpers/same-through-pitot.ts';

const entries = corpusEntries(['openai.responses']);
const hasFailed = ({ features }: CorpusEntry) => features.includes('error_mid_stream');
const streamed = casesOf(entries, (entry) => entry.framing === 'sse' && !hasFailed(entry));
const broken = casesOf(entries, hasFailed);
const refused = casesOf(entries, ({ status }) => status >= 400);
const EXPECTED = { api: 'openai.responses' };

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming;

/** The endpoint at the recorded path. */
function responsesOf(origin: string, entry: CorpusEntry): OpenAI['responses'] {
  const baseURL = origin + entry.path.replace(/\/responses$/, '');
  return new OpenAI({ baseURL, apiKey: 'sk-test', maxRetries: 0 }).responses;
}

/** What was asked when the recording was made, or anything where that was not kept. */
function paramsOf(entry: CorpusEntry): Params {
  const { stream: _, ...params } = entry.request ?? { model: 'm', input: 'Say something.' };
  return params as unknown as Params;
}

function madeOf(parts: unknown[], { usage }: OpenAI.Responses.Response): Made {
  return { parts, counts: { input: usage?.input_tokens ?? null, output: usage?.output_tokens ?? null } };
}

const streaming =
  (entry: CorpusEntry): SdkClient =>
  async (origin) => {
    const stream = await responsesOf(origin, entry).create({ ...paramsOf(entry), stream: true });
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    const last = events.findLast((event) => 'response' in event);
    if (last === undefined || !('response' in last)) throw new Error('no response in the stream');
    return madeOf(events, last.response);
  };

const creating =
  (entry: CorpusEntry): SdkClient =>
  async (origin) => {
    const response = await responsesOf(origin, entry).create(paramsOf(entry));
    return madeOf([response], response);
  };

/** The unstreamed answer that this stream stands for: the whole response is in its last event. */
function unstreamed(entry: CorpusEntry): RecordedAnswer {
  const last = corpusBody(entry)
    .toString()
    .split('\n')
    .findLast((line) => line.startsWith('data:') && line.includes('"response"'));
  const { response } = JSON.parse(last?.slice('data:'.length) ?? '{}');
  return { status: 200, contentType: 'application/json', body: Buffer.from(JSON.stringify(response)), cut: 97 };
}

describe.skipIf(entries === null)('a Responses client that cannot tell Pitot from its upstream', () => {
  let both: SameThroughPitot;

  beforeAll(async () => {
    both = await SameThroughPitot.start();
    for (const feature of ['tool_calls', 'reasoning', 'cached_tokens', 'builtin_tools', 'comments']) {
      expect(
        streamed.some(({ entry }) => entry.features.includes(feature)),
        feature,
      ).toBe(true);
    }
  });
  afterAll(() => both[Symbol.asyncDispose]());

  it.each(streamed)('responses.create, streamed, $name', async ({ entry }) => {
    const { parts } = await both.expectSame(recordingOf(entry), streaming(entry), EXPECTED);
    expect((parts as unknown[]).length).toBeGreaterThan(3);
  });

  it.each(streamed)('responses.create, in one body, $name', async ({ entry }) => {
    const { parts } = await both.expectSame(unstreamed(entry), creating(entry), EXPECTED);
    expect(JSON.stringify(parts)).toContain('"output"');
  });

  it.each(broken)('a failure in the stream, $name', async ({ entry }) => {
    await both.expectSame(recordingOf(entry), streaming(entry), {
      ...EXPECTED,
      outcome: 'error_in_stream',
      fails: true,
    });
  });

  it.each(refused)('responses.create is refused, $name', async ({ entry }) => {
    await both.expectSame(recordingOf(entry), creating(entry), {
      ...EXPECTED,
      outcome: 'upstream_error',
      fails: true,
    });
  });
});
