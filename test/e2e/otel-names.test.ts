import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { expect, it, vi } from 'vitest';
import { chat } from '../helpers/chat-client.ts';
import { PacedUpstream } from '../helpers/paced-upstream.ts';
import { PitotProcess } from '../helpers/pitot-process.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const CHATS = 12;
const CHUNKS = 5;

it('two workers count one set of OpenTelemetry names, without a warning and without a label of theirs', async () => {
  await using upstream = new PacedUpstream({ everyMs: 5, tokensPerChunk: 2 });
  await using folder = await tempDir();
  const file = folder.file('pitot.yaml');
  const upstreams = [{ name: 'u', url: await upstream.start(), engine: 'vllm' }];
  // JSON is YAML.
  await writeFile(file, JSON.stringify({ upstreams, workers: 2, metrics: { otel_names: true } }));
  await using pitot = await PitotProcess.serve(['--config', file]);

  // A connection each, so that both workers get some.
  await Promise.all(
    Array.from({ length: CHATS }, () => chat(pitot.url, { chunks: CHUNKS, agent: new Agent({ keepAlive: false }) })),
  );
  await vi.waitFor(
    async () => expect(await pitot.metric('gen_ai_server_request_duration_seconds_count')).toBe(CHATS),
    10_000,
  );

  const having = 'gen_ai_provider_name="vllm"';
  expect(await pitot.metric('gen_ai_server_request_duration_seconds_count', having)).toBe(CHATS);
  expect(await pitot.metric('gen_ai_server_time_to_first_token_seconds_count', having)).toBe(CHATS);
  expect(await pitot.metric('gen_ai_server_time_per_output_token_seconds_count', having)).toBe(CHATS);
  expect(await pitot.metric('gen_ai_client_token_usage_sum', 'gen_ai_token_type="output"')).toBe(CHATS * CHUNKS * 2);
  expect(await pitot.metric('gen_ai_client_token_usage_sum', 'gen_ai_token_type="input"')).toBe(CHATS * 5);
  expect((await pitot.metrics()).match(/^gen_ai_.*worker="/m)).toBeNull();
  expect(pitot.stdout.filter((line) => line.includes('otel_names'))).toEqual([]);
});
