import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readStep } from '../../../scripts/sweep/aiperf.ts';
import { tempDir } from '../../helpers/temp-dir.ts';

const spread = { avg: 2, p50: 1, p95: 3 };
const summary = {
  aiperf_version: '0.13.0',
  request_count: { avg: 1 },
  total_osl: { avg: 3 },
  benchmark_duration: { avg: 1.5 },
  output_token_throughput: { avg: 2 },
  time_to_first_token: spread,
  inter_token_latency: spread,
  output_token_throughput_per_user: spread,
};
const line = {
  metadata: { x_request_id: 'a', request_start_ns: 5_000_000 },
  metrics: {
    time_to_first_token: { value: 100 },
    decode_duration: { value: 30 },
    inter_chunk_latency: { value: [10, 20] },
    usage_completion_tokens: { value: 4 },
  },
};

async function exported(one: object) {
  await using folder = await tempDir();
  writeFileSync(folder.file('profile_export_aiperf.json'), JSON.stringify(summary));
  writeFileSync(folder.file('profile_export.jsonl'), `${JSON.stringify(one)}\n`);
  return readStep(folder.path);
}

it('the tool’s export is read: its own table, and every request', async () => {
  const { side, requests } = await exported(line);
  expect(side).toMatchObject({ requests: 1, outputTokens: 3, throughput: 2, ttftMs: { mean: 2, p50: 1, p95: 3 } });
  expect(requests).toEqual([{ id: 'a', startMs: 5, ttftMs: 100, decodeMs: 30, gapsMs: [10, 20], reportedTokens: 4 }]);
});

it('a request without a first token is said, never taken as 0', async () => {
  const { time_to_first_token: _, ...metrics } = line.metrics;
  await expect(exported({ ...line, metrics })).rejects.toThrow('time_to_first_token');
});
