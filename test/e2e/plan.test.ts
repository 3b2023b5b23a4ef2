import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { freePort } from '../helpers/free-port.ts';
import { PacedUpstream } from '../helpers/paced-upstream.ts';
import { PitotProcess } from '../helpers/pitot-process.ts';
import { hasPrometheus, Prometheus } from '../helpers/prometheus.ts';
import { recordHistory, SCRAPE_SECONDS, type Stage } from '../helpers/recorded-history.ts';
import { tempDir } from '../helpers/temp-dir.ts';

if (!hasPrometheus)
  process.stderr.write('SKIPPED: no Prometheus here (apt-get install prometheus); no plan is made from a real one\n');

/** Two hours and a half of a known operating curve; 60 s are a step at a scrape every 15 s. */
const STAGES: readonly Stage[] = [
  { minutes: 35, concurrency: 2, tokensPerSecond: 180, ttftSeconds: 0.09, speed: 90 },
  { minutes: 35, concurrency: 8, tokensPerSecond: 520, ttftSeconds: 0.15, speed: 65 },
  { minutes: 35, concurrency: 24, tokensPerSecond: 900, ttftSeconds: 0.45, speed: 38 },
  { minutes: 35, concurrency: 48, tokensPerSecond: 960, ttftSeconds: 2.5, speed: 37 },
];

async function plan(args: readonly string[], env: Record<string, string> = {}) {
  await using pitot = PitotProcess.run(['plan', ...args], env);
  const code = await pitot.ended();
  return { code, stdout: pitot.stdout.join('\n'), stderr: pitot.stderr };
}

describe.skipIf(!hasPrometheus)('pitot plan from a real Prometheus', () => {
  it('makes the plan of one that saw all, from counters summed over replicas', { timeout: 120_000 }, async () => {
    await using folder = await tempDir();
    const endSeconds = Math.floor(Date.now() / 1000 / SCRAPE_SECONDS) * SCRAPE_SECONDS;
    recordHistory(folder.path, STAGES, endSeconds);
    await using prometheus = await Prometheus.scraping('127.0.0.1:1', folder.path);
    const url = `http://127.0.0.1:${prometheus.port}`;
    const told = await plan(['--prometheus', url, '--tokens-per-day', '1e8', '--json']);
    expect(told).toMatchObject({ code: 0, stderr: [] });
    const { plans } = JSON.parse(told.stdout);
    expect(plans).toHaveLength(1);
    const [{ interactive, batch, reason, ...of }] = plans;
    expect(of).toEqual({ upstream: 'a', model: 'tiny' });
    expect(interactive).toMatchObject({ concurrency: 24, conditions: { gpu: 'H100' }, gpus: 4 });
    expect(batch).toMatchObject({ concurrency: 48, gpus: 4 });
    const near = (value: number, truth: number) => expect(Math.abs(value / truth - 1)).toBeLessThan(0.02);
    near(interactive.tokens_per_second_per_gpu, 450);
    near(interactive.gpu_hours_per_day, 1e8 / 450 / 3_600);
    near(interactive.dollars_per_day, (1e8 / 450 / 3_600) * 2.5);
    near(interactive.reference_dollars_per_day, 100 * 0.08 + 400 * 0.05);
    near(batch.tokens_per_second_per_gpu, 480);
    expect(interactive.windows).toBeGreaterThanOrEqual(30);
    expect(reason).toContain('observed at concurrency 2 to 48');
    expect(reason).toContain('summed over 2 Pitots');
    expect(interactive.conditions).toEqual({ gpu: 'H100' });
    expect(reason).not.toContain('conditions changed');
    const strict = await plan(['--prometheus', url, '--tokens-per-day', '1e8', '--ttft-slo', '0.2', '--json']);
    expect(JSON.parse(strict.stdout).plans[0].interactive).toMatchObject({ concurrency: 8 });
    const table = await plan(['--prometheus', url, '--tokens-per-day', '1e8', '--ttft-slo', '0.05']);
    expect(table.stdout).toContain('a TTFT of 0.05 s for 95 % of the requests is not met at any observed concurrency');
  });

  it('says that there is nothing of Pitot in it', { timeout: 60_000 }, async () => {
    await using folder = await tempDir();
    await using prometheus = await Prometheus.scraping('127.0.0.1:1', folder.path);
    const { code, stderr } = await plan(['--prometheus', `127.0.0.1:${prometheus.port}`, '--tokens-per-day', '1']);
    expect(code).toBe(1);
    expect(stderr).toEqual([expect.stringContaining('no samples of Pitot')]);
  });
});

describe('pitot plan from a running gateway', () => {
  it('asks its admin port, with the token of the environment', { timeout: 60_000 }, async () => {
    await using upstream = new PacedUpstream({ everyMs: 20, tokensPerChunk: 2 });
    const token = { PITOT_ADMIN_TOKEN: 'open-sesame' };
    await using pitot = await PitotProcess.serve(['--upstream', await upstream.start()], token);
    const asked = ['--admin', pitot.admin, '--tokens-per-day', '1e9'];
    expect(await plan(asked)).toMatchObject({ code: 1, stderr: [expect.stringContaining('set PITOT_ADMIN_TOKEN')] });
    const wrong = await plan(asked, { PITOT_ADMIN_TOKEN: 'wrong' });
    expect(wrong).toMatchObject({ code: 1, stderr: [expect.stringContaining('refuses the token')] });
    expect(await plan(asked, token)).toMatchObject({
      code: 1,
      stderr: [expect.stringContaining('no traffic was observed')],
    });
    const answer = await fetch(`${pitot.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-chunks': '600' },
      body: JSON.stringify({ model: 'paced', stream: true, messages: [] }),
    });
    await answer.text();
    await sleep(9_000);
    const { code, stdout } = await plan(asked, token);
    expect(code).toBe(0);
    expect(stdout).toContain('default · paced');
    expect(stdout).toContain('gpus is not configured for this upstream');
  });

  it('says in one sentence what is wrong with an address', async () => {
    const port = await freePort();
    const closed = await plan(['--admin', `127.0.0.1:${port}`, '--tokens-per-day', '1']);
    expect(closed).toMatchObject({ code: 1, stderr: [expect.stringContaining('cannot be reached (ECONNREFUSED)')] });
    await using upstream = new PacedUpstream({ everyMs: 20, tokensPerChunk: 2 });
    const other = await plan(['--admin', await upstream.start(), '--tokens-per-day', '1']);
    expect(other).toMatchObject({ code: 1, stderr: [expect.stringContaining("expected Pitot's admin port")] });
    const neither = await plan(['--tokens-per-day', '1']);
    expect(neither).toMatchObject({ code: 2, stderr: [expect.stringContaining('--admin URL or --prometheus URL')] });
  });
});
