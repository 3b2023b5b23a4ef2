import { spawnSync } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import { behavingUpstream } from '../helpers/behaving-upstream.ts';
import { runningApp } from '../helpers/running-app.ts';

/** Of Debian's prometheus; not a part of Pitot, so a machine may lack it. */
const PROMTOOL = 'promtool';
const hasPromtool = spawnSync(PROMTOOL, ['--version']).status === 0;
if (!hasPromtool)
  process.stderr.write('SKIPPED: no promtool here (apt-get install prometheus); names are not checked\n');

const NAMES = [
  'gen_ai_server_time_to_first_token_seconds',
  'gen_ai_server_time_per_output_token_seconds',
  'gen_ai_server_request_duration_seconds',
  'gen_ai_client_token_usage',
];

/** One streamed chat through a gateway, and what it exposes once that has been counted. */
async function scrapeAfterOne(metrics: Record<string, boolean>) {
  await using upstream = await behavingUpstream();
  await using gateway = await runningApp({ upstreams: upstream.url, config: { metrics } });
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"model":"tiny","stream":true,"messages":[]}',
  });
  await answer.text();
  const text = await vi.waitFor(async () => {
    const scraped = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
    expect(scraped).toMatch(/^pitot_request_duration_seconds_count\{.*\} 1$/m);
    return scraped;
  }, 10_000);
  return { text, port: new URL(upstream.url).port };
}

describe('a scrape with metrics.otel_names', () => {
  it('has one chat under the four names, with the attributes of its server, beside ours', async () => {
    const { text, port } = await scrapeAfterOne({ otel_names: true });
    for (const name of NAMES) {
      const lines = text.split('\n').filter((line) => line.startsWith(`${name}_count{`));
      expect(lines.length, name).toBe(name.endsWith('token_usage') ? 2 : 1);
      for (const line of lines) {
        expect(line).toContain('gen_ai_operation_name="chat"');
        expect(line).toContain('gen_ai_request_model="tiny"');
        expect(line).toContain(`server_address="127.0.0.1",server_port="${port}"`);
        expect(line).toMatch(/ 1$/);
      }
    }
    // The model's first request also has series of the time when it was not confirmed.
    const sumOf = (pattern: RegExp) => [...text.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0);
    const ours = sumOf(/^pitot_time_to_first_token_seconds_sum\{.*\} (\S+)$/gm);
    expect(ours).toBeGreaterThan(0);
    expect(sumOf(/^gen_ai_server_time_to_first_token_seconds_sum\{.*\} (\S+)$/gm)).toBeCloseTo(ours, 6);
    expect(sumOf(/^gen_ai_client_token_usage_sum\{.*type="output".*\} (\S+)$/gm)).toBe(
      sumOf(/^pitot_output_tokens_total\{.*\} (\S+)$/gm),
    );
  });

  it('has none of them without it', async () => {
    expect((await scrapeAfterOne({ otel_names: false })).text).not.toContain('gen_ai_');
  });

  it.skipIf(!hasPromtool)('is clean for promtool check metrics', async () => {
    const { text } = await scrapeAfterOne({ otel_names: true });
    const { status, stdout, stderr } = spawnSync(PROMTOOL, ['check', 'metrics'], { input: text });
    expect([status, `${stdout}${stderr}`]).toEqual([0, '']);
  });
});
