import { readdir, readFile, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type ChatAnswer, ChatClients, chat } from '../helpers/chat-client.ts';
import { childrenOf } from '../helpers/children-of.ts';
import { PacedUpstream } from '../helpers/paced-upstream.ts';
import { PitotProcess } from '../helpers/pitot-process.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { until } from '../helpers/until.ts';
import { parsed } from '../helpers/usage-log.ts';

const EVERY_MS = 20;

/** The built program with two workers in front of `url`, with a usage log. */
async function crew(url: string, more: Record<string, unknown> = {}) {
  const folder = await tempDir();
  const file = folder.file('pitot.yaml');
  const write = (to: string, keys: Record<string, unknown> = {}) =>
    // JSON is YAML.
    writeFile(
      file,
      JSON.stringify({
        upstreams: [{ name: 'u', url: to }],
        workers: 2,
        usage_log: { path: folder.file('usage.jsonl') },
        ...more,
        ...keys,
      }),
    );
  await write(url);
  const pitot = await PitotProcess.serve(['--config', file]);
  const primary = pitot.process.pid ?? 0;
  return {
    pitot,
    write,
    /** Its children, the oldest first. */
    workers: () => childrenOf(primary),
    async records(): Promise<Record<string, unknown>[]> {
      const text = await readFile(folder.file('usage.jsonl'), 'utf8');
      return parsed(text);
    },
    async [Symbol.asyncDispose]() {
      await pitot[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Every number of a scrape that must never fall. */
async function counters(pitot: PitotProcess): Promise<Map<string, number>> {
  const text = await pitot.metrics();
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]));
  const found = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, series = '', name = '', value = ''] = /^((\w+)(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
    const type = types.get(name) ?? types.get(name.replace(/_(bucket|sum|count)$/, ''));
    if (type === 'counter' || type === 'histogram') found.set(series, Number(value));
  }
  return found;
}

/** Scrapes until it is stopped, and keeps what fell. */
function watchCounters(pitot: PitotProcess) {
  const fallen: string[] = [];
  let last = new Map<string, number>();
  let scrapes = 0;
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) {
      const now = await counters(pitot);
      for (const [series, value] of last) {
        const later = now.get(series) ?? Number.NaN;
        if (!(later >= value)) fallen.push(`${series}: ${value} → ${later}`);
      }
      last = now;
      scrapes += 1;
      await sleep(20);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await running;
      return { fallen, scrapes };
    },
  };
}

const sum = (records: readonly Record<string, unknown>[], field: string) =>
  records.reduce((total, record) => total + Number(record[field] ?? 0), 0);
const hasStatus =
  (wanted: number) =>
  ({ status }: ChatAnswer) =>
    status === wanted;

it('totals are exact and never fall while a worker is killed under load, and what it lost has its records', async () => {
  await using upstream = new PacedUpstream({ everyMs: EVERY_MS, tokensPerChunk: 1 });
  await using under = await crew(await upstream.start());
  const { pitot } = under;
  const watched = watchCounters(pitot);
  const agent = new Agent({ keepAlive: true });
  const clients = new ChatClients(pitot.url, { clients: 40, agent, chunks: 60 });
  await until(() => clients.answers.length >= 40);
  await sleep(700);

  const [victim = 0, other = 0] = await under.workers();
  process.kill(victim, 'SIGKILL');
  await pitot.line((line) => line.includes('a worker died'));
  await until(() => clients.answers.length >= 160);
  const answers = await clients.stop();
  agent.destroy();
  await sleep(1_500);
  const { fallen, scrapes } = await watched.stop();

  expect(fallen).toEqual([]);
  expect(scrapes).toBeGreaterThan(20);
  const records = await under.records();
  const cut = records.filter(({ outcome }) => outcome === 'gateway_shutdown');
  const whole = records.filter(({ outcome }) => outcome === 'complete');
  expect(cut.length + whole.length).toBe(records.length);
  expect(cut.length).toBeGreaterThan(5);
  expect(whole).toHaveLength(answers.filter(({ isWhole }) => isWhole).length);
  // What was lost before it was read left no trace.
  expect(records.length).toBeLessThanOrEqual(answers.length);
  expect(sum(whole, 'output_tokens')).toBe(60 * whole.length);
  for (const record of cut) expect(record).toMatchObject({ worker: 1, path: '/v1/chat/completions', error: null });
  // Some had only just begun.
  const begun = cut.filter(({ chunks }) => chunks !== null);
  expect(begun.length).toBeGreaterThan(5);
  for (const record of begun) {
    expect(record).toMatchObject({
      status: 200,
      model: 'paced',
      usage_source: 'estimated',
      stream: true,
      upstream: 'u',
    });
    expect(record['output_tokens']).toBeGreaterThan(0);
    expect(record['output_tokens']).toBeLessThanOrEqual(60);
  }
  const counted = await pitot.metric('pitot_output_tokens_total');
  const withheld = await pitot.metric('pitot_withheld_tokens');
  expect(counted - withheld).toBe(sum(records, 'output_tokens'));
  expect(await pitot.metric('pitot_requests_total')).toBe(records.length);
  expect(await pitot.metric('pitot_user_requests_total')).toBe(records.length);
  expect(await pitot.metric('pitot_usage_records_total')).toBe(records.length);
  expect(await pitot.metric('pitot_requests_in_flight')).toBe(0);
  expect(await pitot.metric('pitot_time_to_first_token_seconds_count')).toBeGreaterThanOrEqual(whole.length);
  const workers = new Set(whole.map(({ worker }) => worker));
  expect([...workers].sort()).toEqual([1, 2]);
  const now = await under.workers();
  expect(now).toHaveLength(2);
  expect(now).toContain(other);
  expect(pitot.stdout.filter((line) => line.includes('"msg":"listening"'))).toHaveLength(1);
  for (const line of pitot.stdout) expect(() => JSON.parse(line)).not.toThrow();
});

it('concurrency is that of the machine, and phases add up over the workers', async () => {
  await using upstream = new PacedUpstream({ everyMs: EVERY_MS, tokensPerChunk: 1 });
  await using under = await crew(await upstream.start());
  const { pitot } = under;
  const agent = new Agent();
  const streams: Promise<ChatAnswer>[] = [];
  for (let index = 0; index < 8; index += 1) {
    streams.push(chat(pitot.url, { chunks: 100, agent }));
    await sleep(100);
  }
  expect(await pitot.metric('pitot_requests_in_flight', 'phase="decode"')).toBe(8);
  expect((await Promise.all(streams)).every(({ isWhole }) => isWhole)).toBe(true);
  await sleep(300);
  const records = await under.records();
  const concurrency = records.map((record) => Number(record['concurrency_at_start'])).sort();
  expect(concurrency).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(new Set(records.map(({ worker }) => worker)).size).toBe(2);
  const decoded = await pitot.metric('pitot_request_phase_seconds_total', 'phase="decode"');
  const spent = sum(records, 'e2e_ms') - sum(records, 'ttft_ms');
  expect(Math.abs(decoded * 1_000 - spent)).toBeLessThan(0.05 * spent);
  const delays = await pitot.metrics();
  expect(delays).toMatch(/pitot_relay_delay_seconds_count\{worker="1"\} \d/);
  expect(delays).toMatch(/process_resident_memory_bytes\{worker="0"\} \d/);
  expect(delays).toMatch(/pitot_event_loop_lag_p99_seconds\{worker="2"\} \d/);
});

it('SIGHUP reaches every worker, and a refused configuration none', async () => {
  await using before = new PacedUpstream({ everyMs: 1, tokensPerChunk: 1 });
  await using after = new PacedUpstream({ everyMs: 1, tokensPerChunk: 1 });
  const [first, second] = [await before.start(), await after.start()];
  await using under = await crew(first);
  const { pitot } = under;
  const agent = new Agent();
  const ask = () => Promise.all(Array.from({ length: 6 }, () => chat(pitot.url, { chunks: 1, agent })));
  expect((await ask()).every(hasStatus(200))).toBe(true);
  expect(before.reported).toBe(6);

  await under.write(second);
  pitot.process.kill('SIGHUP');
  await pitot.line((line) => line.includes('configuration read again'));
  expect((await ask()).every(hasStatus(200))).toBe(true);
  expect([before.reported, after.reported]).toEqual([6, 6]);

  await under.write('nowhere');
  pitot.process.kill('SIGHUP');
  await pitot.line((line) => line.includes('the old one stays'));
  expect(await pitot.metric('pitot_config_last_reload_successful')).toBe(0);
  expect((await ask()).every(hasStatus(200))).toBe(true);
  expect(after.reported).toBe(12);
  // A worker that takes another's place has the configuration in force.
  const [victim = 0] = await under.workers();
  process.kill(victim, 'SIGKILL');
  await pitot.line((line) => line.includes('a worker died'));
  expect((await ask()).every(hasStatus(200))).toBe(true);
  expect(after.reported).toBe(18);
});

it('the port outlives all workers at once: who connects meanwhile is served by their successors', async () => {
  await using upstream = new PacedUpstream({ everyMs: 1, tokensPerChunk: 1 });
  await using under = await crew(await upstream.start());
  const { pitot } = under;
  const agent = new Agent();
  for (const worker of await under.workers()) process.kill(worker, 'SIGKILL');
  await until(() => pitot.stdout.filter((line) => line.includes('a worker died')).length === 2);
  const answers = await Promise.all(Array.from({ length: 10 }, () => chat(pitot.url, { chunks: 2, agent })));
  expect(answers.filter(({ isWhole }) => !isWhole)).toEqual([]);
  await until(async () => (await pitot.metric('pitot_requests_total', 'complete')) === 10);
});

it('a worker that is killed costs no new client, and leaves no connection behind', async () => {
  await using upstream = new PacedUpstream({ everyMs: 1, tokensPerChunk: 1 });
  await using under = await crew(await upstream.start());
  const { pitot } = under;
  const agent = new Agent();
  const open = () => openDescriptors(pitot.process.pid ?? 0);
  const ask = () => Promise.all(Array.from({ length: 20 }, () => chat(pitot.url, { chunks: 2, agent })));
  await ask();
  const before = await open();
  for (let round = 1; round <= 3; round += 1) {
    // A worker that dies takes with it what it has not told yet.
    await until(async () => (await pitot.metric('pitot_requests_total', 'complete')) === 20 * round);
    const [victim = 0] = await under.workers();
    process.kill(victim, 'SIGKILL');
    expect((await ask()).filter(({ isWhole }) => !isWhole)).toEqual([]);
    await until(() => pitot.stdout.filter((line) => line.includes('a worker died')).length === round);
    await until(async () => (await under.workers()).length === 2);
  }
  await until(async () => (await pitot.metric('pitot_requests_total', 'complete')) === 80);
  await until(async () => (await open()) <= before + 2);
});

it('a worker that is stopped is left out, killed and replaced, and said', async () => {
  await using upstream = new PacedUpstream({ everyMs: 1, tokensPerChunk: 1 });
  await using under = await crew(await upstream.start());
  const { pitot } = under;
  const agent = new Agent();
  const ask = () => Promise.all(Array.from({ length: 10 }, () => chat(pitot.url, { chunks: 2, agent })));
  const [first = 0, second = 0] = await under.workers();
  process.kill(first, 'SIGSTOP');
  // Half of these go to it, before anyone can know; they wait for its successor.
  const early = ask();
  await pitot.line((line) => line.includes('a worker is silent'));
  expect((await ask()).filter(({ isWhole }) => !isWhole)).toEqual([]);
  await pitot.line((line) => line.includes('a worker stays silent'));
  expect((await early).filter(({ isWhole }) => !isWhole)).toEqual([]);
  await until(async () => (await pitot.metric('pitot_requests_total', 'complete')) === 20);
  // One that goes on in time is given connections again.
  process.kill(second, 'SIGSTOP');
  await until(() => pitot.stdout.filter((line) => line.includes('a worker is silent')).length === 2);
  process.kill(second, 'SIGCONT');
  await pitot.line((line) => line.includes('a worker is heard again'));
  expect(await under.workers()).toContain(second);
  expect((await ask()).filter(({ isWhole }) => !isWhole)).toEqual([]);
});

it('live throughput is what flows', async () => {
  await using upstream = new PacedUpstream({ everyMs: EVERY_MS, tokensPerChunk: 1 });
  await using under = await crew(await upstream.start());
  const agent = new Agent();
  const streams = Array.from({ length: 20 }, () => chat(under.pitot.url, { chunks: 250, agent }));
  await sleep(1_500);
  const seen: number[] = [];
  for (let scrape = 0; scrape < 25; scrape += 1) {
    seen.push(await under.pitot.metric('pitot_throughput_tokens_per_second', 'window="1s",mode="effective"'));
    await sleep(100);
  }
  await Promise.all(streams);
  const median = seen.sort((one, other) => one - other)[12] ?? 0;
  expect(Math.abs(median - 1_000)).toBeLessThan(100);
});

it('SIGTERM under load: every stream ends whole, nobody who has connected is lost, all records are in the log', async () => {
  await using upstream = new PacedUpstream({ everyMs: EVERY_MS, tokensPerChunk: 1 });
  await using under = await crew(await upstream.start(), { shutdown_delay: '700ms', shutdown_grace: '60s' });
  const { pitot } = under;
  const agent = new Agent();
  let heads = 0;
  const onHead = () => {
    heads += 1;
  };
  const long = Array.from({ length: 20 }, () => chat(pitot.url, { chunks: 150, agent, onHead }));
  await until(() => heads === 20);
  const clients = new ChatClients(pitot.url, { clients: 20, agent, chunks: 1 });
  await until(() => clients.answers.length > 60);

  pitot.process.kill('SIGTERM');
  await pitot.line((line) => line.includes('shutting down'));
  expect((await fetch(`http://${pitot.admin}/readyz`)).status).toBe(503);
  const ended = await Promise.all(long);
  const short = await clients.stop();
  expect(await pitot.ended()).toBe(0);

  expect(ended.filter(({ isWhole }) => !isWhole)).toEqual([]);
  const served = short.filter(({ status, code }) => status === 200 && code === null);
  const lost = short.filter((one) => !one.isWhole && one.fault !== 'ECONNREFUSED' && one.code === null);
  // Connections are accepted in the order they were made in. Who made his in the moment of the listener's
  // end is reset by the system, and so is nobody before one who was served.
  expect(new Set(lost.map(({ fault }) => fault))).toEqual(new Set(lost.map(() => 'ECONNRESET')));
  const lastServedMs = Math.max(...served.map(({ beganMs }) => beganMs));
  expect(lost.filter(({ beganMs }) => beganMs < lastServedMs)).toEqual([]);
  const records = await under.records();
  expect(records.filter(({ outcome }) => outcome === 'complete')).toHaveLength(served.length + ended.length);
  expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
});

it('what is cut at the end of the grace has its record, from its own worker', async () => {
  await using upstream = new PacedUpstream({ everyMs: EVERY_MS, tokensPerChunk: 1 });
  await using under = await crew(await upstream.start(), { shutdown_grace: '300ms' });
  const { pitot } = under;
  const agent = new Agent();
  let heads = 0;
  const onHead = () => {
    heads += 1;
  };
  const streams = Array.from({ length: 10 }, () => chat(pitot.url, { chunks: 100_000, agent, onHead }));
  await until(() => heads === 10);
  pitot.process.kill('SIGTERM');
  expect((await Promise.all(streams)).every(({ isWhole }) => !isWhole)).toBe(true);
  expect(await pitot.ended()).toBe(0);
  const records = await under.records();
  expect(records.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 10 }, () => 'gateway_shutdown'));
  for (const { longest_gap_ms: gap } of records) expect(gap).toBeGreaterThan(0);
});

it('Ctrl-C, which reaches all processes of a terminal, is a drain; a second signal ends all at once', async () => {
  await using upstream = new PacedUpstream({ everyMs: EVERY_MS, tokensPerChunk: 1 });
  await using under = await crew(await upstream.start());
  const { pitot } = under;
  const workers = await under.workers();
  const agent = new Agent();
  const stream = chat(pitot.url, { chunks: 50, agent });
  const endless = chat(pitot.url, { chunks: 100_000, agent });
  await until(() => upstream.reported >= 0 && pitot.stdout.length > 0);
  await sleep(300);
  for (const pid of [pitot.process.pid ?? 0, ...workers]) process.kill(pid, 'SIGINT');
  expect((await stream).isWhole).toBe(true);
  pitot.process.kill('SIGTERM');
  expect((await endless).isWhole).toBe(false);
  expect(await pitot.ended()).toBe(1);
  await until(async () => (await alive(workers)).length === 0);
});

it('workers end with the first process, however it ends', async () => {
  await using upstream = new PacedUpstream({ everyMs: EVERY_MS, tokensPerChunk: 1 });
  await using under = await crew(await upstream.start());
  const workers = await under.workers();
  expect(workers).toHaveLength(2);
  under.pitot.process.kill('SIGKILL');
  await until(async () => (await alive(workers)).length === 0);
});

it('a port in use is one sentence and exit code 1', async () => {
  await using upstream = new PacedUpstream({ everyMs: EVERY_MS, tokensPerChunk: 1 });
  await using under = await crew(await upstream.start());
  const args = ['serve', '--upstream', 'http://127.0.0.1:9', '--admin', '127.0.0.1:0', '--workers', '3'];
  await using second = PitotProcess.run([...args, '--listen', under.pitot.listen]);
  expect(await second.ended()).toBe(1);
  expect(second.stderr).toEqual([
    `cannot listen on ${under.pitot.listen}: another process listens there already; end it or choose another port with --listen or --admin`,
  ]);
  expect(second.stdout).toEqual([]);
});

async function openDescriptors(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length;
}

async function alive(pids: readonly number[]): Promise<number[]> {
  const running = new Set((await readdir('/proc')).map(Number));
  return pids.filter((pid) => running.has(pid));
}
