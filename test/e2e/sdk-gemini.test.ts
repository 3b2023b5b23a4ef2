import { type GenerateContentParameters, type GenerateContentResponse, GoogleGenAI } from '@google/genai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CorpusEntry, corpusEntries } from '../helpers/corpus.ts';
import {
  type Counts,
  casesOf,
  type Made,
  recordingOf,
  SameThroughPitot,
  type SdkClient,
  without,
} from '../helpers/same-through-pitot.ts';

const entries = corpusEntries(['gemini.generate']);
const streamed = casesOf(entries, ({ framing, status }) => framing === 'sse' && status === 200);
const unstreamed = casesOf(entries, ({ framing, status }) => framing === 'json' && status === 200);
const failed = casesOf(entries, ({ status }) => status >= 400);
const EXPECTED = { api: 'gemini.generate' };

function clientOf(origin: string, entry: CorpusEntry): GoogleGenAI {
  const vertexai = entry.path.includes('/publishers/google/');
  return new GoogleGenAI({ vertexai, apiKey: 'test', httpOptions: { baseUrl: origin } });
}

/** The model and what it was told when the recording was made. */
function paramsOf(entry: CorpusEntry): GenerateContentParameters {
  const model = /models\/([^:]+):/.exec(entry.path)?.[1] ?? '';
  const contents = entry.request?.['contents'] ?? [];
  return { model, contents } as GenerateContentParameters;
}

/** All that the total holds beyond the input is output: thoughts are counted apart. Null where no part has counts. */
function countsOf(parts: readonly GenerateContentResponse[]): Counts | null {
  const usage = parts.findLast(({ usageMetadata }) => usageMetadata?.totalTokenCount !== undefined)?.usageMetadata;
  if (usage?.totalTokenCount === undefined) return null;
  const input = (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0);
  return { input, output: usage.totalTokenCount - input };
}

function madeOf(parts: readonly GenerateContentResponse[]): Made {
  const counts = countsOf(parts);
  // The SDK shows the headers of each answer, and with them those of one connection.
  return { parts: without(['headers'], parts), ...(counts === null ? {} : { counts }) };
}

const streaming =
  (entry: CorpusEntry): SdkClient =>
  async (origin) => {
    const parts: GenerateContentResponse[] = [];
    const stream = await clientOf(origin, entry).models.generateContentStream(paramsOf(entry));
    for await (const part of stream) parts.push(part);
    return madeOf(parts);
  };

const generating =
  (entry: CorpusEntry): SdkClient =>
  async (origin) =>
    madeOf([await clientOf(origin, entry).models.generateContent(paramsOf(entry))]);

describe.skipIf(entries === null)('a Gemini client that cannot tell Pitot from its upstream', () => {
  let both: SameThroughPitot;

  beforeAll(async () => {
    both = await SameThroughPitot.start();
    expect([streamed.length, unstreamed.length, failed.length]).not.toContain(0);
  });
  afterAll(() => both[Symbol.asyncDispose]());

  it.each(streamed)('generateContentStream, $name', async ({ entry }) => {
    const { parts } = await both.expectSame(recordingOf(entry), streaming(entry), EXPECTED);
    expect(JSON.stringify(parts)).toContain('"candidates"');
  });

  it.each(unstreamed)('generateContent, $name', async ({ entry }) => {
    await both.expectSame(recordingOf(entry), generating(entry), EXPECTED);
  });

  it.each(failed)('generateContent is refused, $name', async ({ entry }) => {
    await both.expectSame(recordingOf(entry), generating(entry), {
      ...EXPECTED,
      outcome: 'upstream_error',
      fails: true,
    });
  });
});
