import { writeFile } from 'node:fs/promises';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { PitotProcess } from '../../helpers/pitot-process.ts';
import { tempDir } from '../../helpers/temp-dir.ts';
import { until } from '../../helpers/until.ts';

const ENGINE = process.env['PITOT_TEST_ENGINE_URL'];
if (ENGINE === undefined)
  process.stderr.write('SKIPPED: set PITOT_TEST_ENGINE_URL to compare Pitot with a real inference engine\n');

const CHATS = 20;
const MAX_TOKENS = 64;

/** What the engine itself says of one chat, in its usage and (llama.cpp) its timings. */
interface Said {
  input: number;
  output: number;
  prefillMs: number | null;
  tpotMs: number | null;
}

async function chat(client: OpenAI, number: number): Promise<Said> {
  const stream = await client.chat.completions.create({
    model: process.env['PITOT_TEST_ENGINE_MODEL'] ?? 'gemma-3-270m',
    messages: [{ role: 'user', content: `Story number ${number}: ${'once upon a time '.repeat(1 + (number % 5))}` }],
    max_tokens: MAX_TOKENS,
    stream: true,
    stream_options: { include_usage: true },
  });
  let last: unknown = null;
  let said: Said = { input: 0, output: 0, prefillMs: null, tpotMs: null };
  for await (const part of stream) {
    if (part.usage === undefined || part.usage === null) continue;
    last = part;
    said = { ...said, input: part.usage.prompt_tokens, output: part.usage.completion_tokens };
  }
  const { timings } = (last ?? {}) as { timings?: { prompt_ms: number; predicted_ms: number; predicted_n: number } };
  if (timings === undefined) return said;
  // llama.cpp's predicted_ms runs from the first token to the last.
  return { ...said, prefillMs: timings.prompt_ms, tpotMs: timings.predicted_ms / Math.max(1, timings.predicted_n - 1) };
}

/** All chats, so many at once. */
async function run(client: OpenAI, concurrency: number): Promise<Said[]> {
  const said: Said[] = [];
  let next = 0;
  const lane = async () => {
    while (next < CHATS) {
      next += 1;
      said.push(await chat(client, next));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return said;
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function numbers(records: readonly Record<string, unknown>[], key: string): number[] {
  return records.map((record) => record[key]).filter((value) => typeof value === 'number');
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const shown = (value: number) => (Number.isFinite(value) ? value.toFixed(1) : '–');

describe.skipIf(ENGINE === undefined)('a real engine with a real model', () => {
  it.each([1, 4, 8])('%i chats at once: every count equal, speeds as the engine says', async (concurrency) => {
    await using folder = await tempDir();
    const config = { upstreams: [{ name: 'engine', url: ENGINE }], usage_log: { path: '-' }, log: { level: 'warn' } };
    await writeFile(folder.file('pitot.yaml'), JSON.stringify(config));
    await using pitot = await PitotProcess.serve(['--config', folder.file('pitot.yaml')]);
    const client = new OpenAI({ baseURL: `${pitot.url}/v1`, apiKey: 'none', maxRetries: 0 });
    const said = await run(client, concurrency);
    await until(() => pitot.records.length === CHATS);
    const { records } = pitot;
    const counts = (input: number[], output: number[]) =>
      [input, output].map((list) => [...list].sort((a, b) => a - b));
    expect(counts(numbers(records, 'input_tokens'), numbers(records, 'output_tokens'))).toEqual(
      counts(
        said.map(({ input }) => input),
        said.map(({ output }) => output),
      ),
    );
    expect(records.every(({ usage_source, outcome }) => usage_source === 'reported' && outcome === 'complete')).toBe(
      true,
    );
    const counter = (await pitot.metric('pitot_output_tokens_total')) - (await pitot.metric('pitot_withheld_tokens'));
    expect(counter).toBe(sum(said.map(({ output }) => output)));
    const engineTpot = median(said.flatMap(({ tpotMs }) => tpotMs ?? []));
    const tpot = median(numbers(records, 'tpot_ms'));
    if (Number.isFinite(engineTpot)) expect(Math.abs(tpot / engineTpot - 1)).toBeLessThan(0.05);
    const row = [
      `concurrency ${concurrency}: tokens in ${sum(numbers(records, 'input_tokens'))} out ${counter}`,
      `TTFT p50 ${shown(median(numbers(records, 'ttft_ms')))} ms (engine's prefill alone ${shown(median(said.flatMap(({ prefillMs }) => prefillMs ?? [])))} ms)`,
      `TPOT p50 ${shown(tpot)} ms (engine ${shown(engineTpot)} ms)`,
    ];
    process.stderr.write(`${row.join(', ')}\n`);
  });
});
