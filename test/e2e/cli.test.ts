import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { PacedUpstream } from '../helpers/paced-upstream.ts';
import { PitotProcess } from '../helpers/pitot-process.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { until } from '../helpers/until.ts';

const NOWHERE = 'http://127.0.0.1:9';

async function ended(args: readonly string[], env: Record<string, string> = {}) {
  await using pitot = PitotProcess.run(args, env);
  const code = await pitot.ended();
  return { code, stderr: pitot.stderr, stdout: pitot.stdout };
}

describe('the command line', () => {
  it('says every fault of a configuration at once, each with its place, and exits 2', async () => {
    await using folder = await tempDir();
    const file = folder.file('bad.yaml');
    await writeFile(file, 'listn: 127.0.0.1:1\nshutdown_grace: soon\nupstreams:\n  - name: a\n    url: ftp://x\n');
    const { code, stderr } = await ended(['check-config', file]);
    expect(code).toBe(2);
    expect(stderr).toHaveLength(3);
    expect(stderr[0]).toContain(`${file}:1:1: listn`);
    expect(stderr[0]).toContain('did you mean "listen"?');
    expect(stderr[1]).toContain(`${file}:2:`);
    expect(stderr[2]).toContain(`${file}:5:`);
  });

  it('without an upstream: one sentence, exit 2', async () => {
    const { code, stderr } = await ended(['serve']);
    expect(code).toBe(2);
    expect(stderr).toHaveLength(1);
    expect(stderr[0]).toMatch(/upstream/);
  });

  it('with certificates that are not there: one sentence with its place, exit 2', async () => {
    await using folder = await tempDir();
    const file = folder.file('ca.yaml');
    await writeFile(file, 'upstreams:\n  - name: a\n    url: https://a\n    tls: { ca: /no/such.pem }\n');
    const { code, stderr } = await ended(['serve', '--config', file]);
    expect(code).toBe(2);
    expect(stderr).toEqual([expect.stringContaining(`${file}:4:`)]);
    expect(stderr[0]).toContain('upstreams[0].tls.ca');
  });

  it('with a port in use: one sentence, exit 1', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { code, stderr } = await ended([
      'serve',
      '--upstream',
      NOWHERE,
      '--listen',
      `127.0.0.1:${port}`,
      '--admin',
      '127.0.0.1:0',
    ]);
    taken.close();
    expect(code).toBe(1);
    expect(stderr).toEqual([expect.stringContaining(`127.0.0.1:${port}`)]);
  });

  it('prints its version and its help', async () => {
    expect((await ended(['--version'])).stdout[0]).toMatch(/^pitot \d+\.\d+\.\d+/);
    expect((await ended(['--help'])).stdout.join('\n')).toContain('serve');
  });

  it('takes the upstream and the ports from the environment, and flags win', async () => {
    await using pitot = await PitotProcess.serve([], { PITOT_UPSTREAM: NOWHERE, PITOT_LISTEN: '127.0.0.1:1' });
    expect(pitot.listen).toMatch(/^127\.0\.0\.1:\d+$/);
  });

  it('says that it listens whatever the log level', async () => {
    await using pitot = await PitotProcess.serve(['--upstream', NOWHERE], { PITOT_LOG_LEVEL: 'silent' });
    expect(pitot.stdout).toHaveLength(1);
  });
});

describe('signals', () => {
  const post = (url: string, chunks: number) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-chunks': String(chunks) },
      body: '{"model":"paced","stream":true}',
    });

  it('SIGTERM lets a running stream end whole, then exits 0', async () => {
    await using upstream = new PacedUpstream({ everyMs: 20, tokensPerChunk: 1 });
    await using pitot = await PitotProcess.serve(['--upstream', await upstream.start()]);
    const answer = await post(pitot.url, 50);
    pitot.process.kill('SIGTERM');
    expect((await answer.text()).endsWith('data: [DONE]\n\n')).toBe(true);
    expect(await pitot.ended()).toBe(0);
  });

  it('readiness is off while draining', async () => {
    await using upstream = new PacedUpstream({ everyMs: 20, tokensPerChunk: 1 });
    await using pitot = await PitotProcess.serve(['--upstream', await upstream.start()]);
    const ready = async () => (await fetch(`http://${pitot.admin}/readyz`)).status;
    expect(await ready()).toBe(200);
    const answer = await post(pitot.url, 100);
    pitot.process.kill('SIGTERM');
    await pitot.line((line) => line.includes('shutting down'));
    expect(await ready()).toBe(503);
    await answer.text();
  });

  it('a second signal ends at once', async () => {
    await using upstream = new PacedUpstream({ everyMs: 100, tokensPerChunk: 1 });
    await using pitot = await PitotProcess.serve(['--upstream', await upstream.start()]);
    const answer = await post(pitot.url, 1_000);
    pitot.process.kill('SIGTERM');
    await pitot.line((line) => line.includes('shutting down'));
    pitot.process.kill('SIGTERM');
    expect(await pitot.ended()).toBe(1);
    await expect(answer.text()).rejects.toThrow();
  });

  it('SIGHUP takes a good configuration, and refuses a faulty one loudly', async () => {
    await using folder = await tempDir();
    const file = folder.file('pitot.yaml');
    const config = (more: string) => `upstreams: [{ name: a, url: "${NOWHERE}"${more} }]\n`;
    await writeFile(file, config(''));
    await using pitot = await PitotProcess.serve(['--config', file]);
    await writeFile(file, config(', gpus: 4'));
    pitot.process.kill('SIGHUP');
    await pitot.line((line) => line.includes('configuration read again'));
    expect(await pitot.metric('pitot_upstream_gpus')).toBe(4);
    await writeFile(file, config(', gpu: 8'));
    pitot.process.kill('SIGHUP');
    await pitot.line((line) => line.includes('configuration refused'));
    expect(await pitot.metric('pitot_upstream_gpus')).toBe(4);
    expect(await pitot.metric('pitot_config_last_reload_successful')).toBe(0);
    expect(pitot.process.exitCode).toBeNull();
  });
});

describe('the demo', () => {
  it('runs for the seconds asked for, says it is a simulation, and ends with 0', async () => {
    await using pitot = PitotProcess.run(['demo', '--for', '7', '--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0']);
    const { admin } = JSON.parse(await pitot.line((line) => line.includes('"listening"')));
    pitot.admin = admin;
    await until(() => pitot.stdout.some((line) => line.includes('"msg":"demo"')));
    expect(await pitot.metric('pitot_output_tokens_total')).toBeGreaterThan(10);
    expect(await pitot.ended()).toBe(0);
    expect(pitot.stdout.filter((line) => line.includes('"simulation":true')).length).toBeGreaterThan(0);
  });
});
