import { type ChatRequest, type ChatResponse, type GenerateRequest, type GenerateResponse, Ollama } from 'ollama';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CorpusEntry, corpusBody, corpusEntries } from '../helpers/corpus.ts';
import type { RecordedAnswer } from '../helpers/recorded-upstream.ts';
import { casesOf, type Made, recordingOf, SameThroughPitot, type SdkClient } from '../helpers/same-through-pitot.ts';

const entries = corpusEntries(['ollama.chat', 'ollama.generate']);
const chats = casesOf(entries, ({ format, framing }) => format === 'ollama.chat' && framing === 'ndjson');
const generates = casesOf(entries, ({ format, framing }) => format === 'ollama.generate' && framing === 'ndjson');
const bodies = casesOf(entries, ({ format, framing }) => format === 'ollama.generate' && framing === 'json');

type Answer = ChatResponse | GenerateResponse;

/** The counts stand in the last line; a prompt that was cached as a whole has none. */
function madeOf(parts: Answer[]): Made {
  const last = parts.at(-1);
  return { parts, counts: { input: last?.prompt_eval_count ?? null, output: last?.eval_count ?? null } };
}

async function collected(stream: AsyncIterable<Answer>): Promise<Made> {
  const parts: Answer[] = [];
  for await (const part of stream) parts.push(part);
  return madeOf(parts);
}

// What was asked when a recording was made has the shape of these requests.
const chatOf = (entry: CorpusEntry) => entry.request as unknown as ChatRequest;
const generateOf = (entry: CorpusEntry) => entry.request as unknown as GenerateRequest;

const streamChat =
  (entry: CorpusEntry): SdkClient =>
  async (origin) =>
    collected(await new Ollama({ host: origin }).chat({ ...chatOf(entry), stream: true }));

const chat =
  (entry: CorpusEntry): SdkClient =>
  async (origin) =>
    madeOf([await new Ollama({ host: origin }).chat({ ...chatOf(entry), stream: false })]);

const streamGenerate =
  (entry: CorpusEntry): SdkClient =>
  async (origin) =>
    collected(await new Ollama({ host: origin }).generate({ ...generateOf(entry), stream: true }));

const generate =
  (entry: CorpusEntry): SdkClient =>
  async (origin) =>
    madeOf([await new Ollama({ host: origin }).generate({ ...generateOf(entry), stream: false })]);

/** The unstreamed answer that this stream stands for: its last line, with everything that was said in it. */
function unstreamed(entry: CorpusEntry): RecordedAnswer {
  const lines: ChatResponse[] = corpusBody(entry)
    .toString()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));
  const content = lines.map(({ message }) => message.content).join('');
  const thinking = lines.map(({ message }) => message.thinking ?? '').join('');
  const message = { role: 'assistant', content, ...(thinking === '' ? {} : { thinking }) };
  const body = Buffer.from(JSON.stringify({ ...lines.at(-1), message }));
  return { status: 200, contentType: 'application/json; charset=utf-8', body };
}

describe.skipIf(entries === null)('an Ollama client that cannot tell Pitot from its upstream', () => {
  let both: SameThroughPitot;

  beforeAll(async () => {
    both = await SameThroughPitot.start();
    expect([chats.length, generates.length, bodies.length]).not.toContain(0);
  });
  afterAll(() => both[Symbol.asyncDispose]());

  it.each(chats)('chat, streamed, $name', async ({ entry }) => {
    const { parts } = await both.expectSame(recordingOf(entry), streamChat(entry), { api: 'ollama.chat' });
    expect((parts as unknown[]).length).toBeGreaterThan(10);
  });

  it.each(chats)('chat, in one body, $name', async ({ entry }) => {
    await both.expectSame(unstreamed(entry), chat(entry), { api: 'ollama.chat' });
  });

  it.each(generates)('generate, streamed, $name', async ({ entry }) => {
    const { parts } = await both.expectSame(recordingOf(entry), streamGenerate(entry), { api: 'ollama.generate' });
    expect((parts as unknown[]).length).toBeGreaterThan(10);
  });

  it.each(bodies)('generate, in one body, $name', async ({ entry }) => {
    await both.expectSame(recordingOf(entry), generate(entry), { api: 'ollama.generate' });
  });

  it('hears of a model that is not there', async () => {
    const body = Buffer.from('{"error":"model \'m\' not found"}');
    const answer = { status: 404, contentType: 'application/json; charset=utf-8', body };
    const asked = chats[0]?.entry;
    if (asked === undefined) throw new Error('no chat was recorded');
    await both.expectSame(answer, streamChat(asked), { api: 'ollama.chat', outcome: 'upstream_error', fails: true });
  });
});
