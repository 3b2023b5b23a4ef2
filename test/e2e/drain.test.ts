import { readFile, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type ChatAnswer, ChatClients, chat } from '../helpers/chat-client.ts';
import { PacedUpstream } from '../helpers/paced-upstream.ts';
import { PitotProcess } from '../helpers/pitot-process.ts';
import { post, rawClient, request } from '../helpers/raw-client.ts';
import { RawUpstream } from '../helpers/raw-upstream.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { until } from '../helpers/until.ts';
import { parsed } from '../helpers/usage-log.ts';

const EVERY_MS = 20;
const FREE_PORTS = ['--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0'];

/** The built program in front of `url`, with a usage log. */
async function gateway(url: string, more: Record<string, unknown>) {
  const folder = await tempDir();
  const log = folder.file('usage.jsonl');
  const config = { upstreams: [{ name: 'u', url }], usage_log: { path: log }, ...more };
  await writeFile(folder.file('pitot.yaml'), JSON.stringify(config)); // JSON is YAML.
  const pitot = await PitotProcess.serve(['--config', folder.file('pitot.yaml')]);
  return {
    pitot,
    port: Number(pitot.listen.split(':')[1]),
    /** Every line whole, or this throws. */
    async records(): Promise<Record<string, unknown>[]> {
      const text = await readFile(log, 'utf8');
      expect(text === '' || text.endsWith('\n')).toBe(true);
      return parsed(text);
    },
    async [Symbol.asyncDispose]() {
      await pitot[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Nobody took this request: no connection, or one that was never served, or the gateway's own word. */
const wasRefused = ({ status, fault, code }: ChatAnswer) =>
  code === 'PITOT_DRAINING' || (status === 0 && ['ECONNREFUSED', 'ECONNRESET'].includes(fault ?? ''));

it.each([1, 2])(
  'SIGTERM under load, with %d workers: the delay is served, then nothing new; every stream ends whole, every record is in the log',
  async (workers) => {
    await using upstream = new PacedUpstream({ everyMs: EVERY_MS, tokensPerChunk: 1 });
    await using under = await gateway(await upstream.start(), {
      workers,
      shutdown_delay: '1500ms',
      shutdown_grace: '60s',
    });
    const { pitot } = under;
    const agent = new Agent({ keepAlive: true });
    const long: Promise<ChatAnswer>[] = [];
    let heads = 0;
    const onHead = () => {
      heads += 1;
    };
    for (let i = 0; i < 40; i += 1) long.push(chat(pitot.url, { chunks: 250, agent, id: `long-${i}`, onHead }));
    await until(() => heads === 40);
    const clients = new ChatClients(pitot.url, { clients: 6, agent, chunks: 3 });
    await until(() => clients.answers.length > 30);

    const signalledMs = performance.now();
    pitot.process.kill('SIGTERM');
    await pitot.line((line) => line.includes('shutting down'));
    const servedBefore = clients.answers.length;
    expect((await fetch(`http://${pitot.admin}/readyz`)).status).toBe(503);
    expect((await fetch(`http://${pitot.admin}/healthz`)).status).toBe(200);
    await using fresh = await rawClient(under.port);
    fresh.write(post('/v1/chat/completions', '{"model":"paced","stream":true}', ['x-chunks: 2']));
    const answer = await fresh.message();
    expect(answer.startLine).toContain('200');
    expect(answer.headerLines).toContain('Connection: close');

    await until(() => clients.answers.some(({ fault }) => fault !== null));
    const refusedAfterMs = performance.now() - signalledMs;
    const short = await clients.stop();
    // The streams in flight can still be watched.
    await expect.poll(() => pitot.metric('pitot_requests_in_flight', 'phase="decode"')).toBe(40);
    const ended = await Promise.all(long);
    expect(await pitot.ended()).toBe(0);
    agent.destroy();

    expect(refusedAfterMs).toBeGreaterThanOrEqual(1_490);
    expect(ended.filter(({ isWhole }) => !isWhole)).toEqual([]);
    const served = short.filter(({ status, code }) => status === 200 && code === null);
    expect(short.filter((one) => !one.isWhole && !wasRefused(one))).toEqual([]);
    expect(served.length).toBeGreaterThan(servedBefore);
    // All that began in the delay, or were sent on a connection from before it, were told to go.
    const inDelay = served.filter(({ beganMs }) => beganMs > signalledMs + 200);
    expect(inDelay.length).toBeGreaterThan(20);
    expect(inDelay.filter(({ closesConnection }) => !closesConnection)).toEqual([]);

    const records = await under.records();
    const turnedAway = short.filter(({ code }) => code !== null).length;
    expect(records.filter(({ outcome }) => outcome === 'complete')).toHaveLength(served.length + ended.length + 1);
    expect(records).toHaveLength(served.length + ended.length + 1 + turnedAway);
    expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
  },
);

it('what is cut at the end of the grace says so in its record; the log is flushed and the exit code 0', async () => {
  await using upstream = new PacedUpstream({ everyMs: EVERY_MS, tokensPerChunk: 1 });
  await using silent = await RawUpstream.start();
  const url = await upstream.start();
  await using under = await gateway(url, {
    upstreams: [
      { name: 'silent', url: silent.url, match: { path: '/silent' } },
      { name: 'u', url },
    ],
    shutdown_grace: '400ms',
  });
  const { pitot } = under;
  const agent = new Agent({ keepAlive: true });
  let heads = 0;
  const onHead = () => {
    heads += 1;
  };
  const streams = Array.from({ length: 20 }, () => chat(pitot.url, { chunks: 100_000, agent, onHead }));
  await until(() => heads === 20);
  await using prefilling = await rawClient(under.port);
  prefilling.write(post('/silent/v1/chat/completions', '{"model":"m","stream":true}'));
  await using uploading = await rawClient(under.port);
  uploading.write(request('POST /silent/v1/chat/completions', ['Content-Length: 1000000'], 'x'.repeat(5_000)));
  await (await silent.connection(1)).text('xxx');

  pitot.process.kill('SIGTERM');
  const ended = await Promise.all(streams);
  expect(await pitot.ended()).toBe(0);
  agent.destroy();
  expect(ended.filter(({ isWhole, fault }) => isWhole || fault === null)).toEqual([]);
  for (const client of [prefilling, uploading]) {
    const { startLine, headerLines } = await client.message();
    expect(startLine).toContain('503');
    expect(headerLines).toContain('x-pitot-error: PITOT_DRAINING');
  }
  const records = await under.records();
  expect(records).toHaveLength(22);
  expect(records.filter(({ outcome }) => outcome !== 'gateway_shutdown')).toEqual([]);
  expect(records.filter(({ status, error }) => status === 503 && error === 'PITOT_DRAINING')).toHaveLength(2);
  const cut = records.filter(({ status }) => status === 200);
  expect(cut).toHaveLength(20);
  for (const { output_tokens, usage_source } of cut) {
    expect(usage_source).toBe('estimated');
    expect(output_tokens).toBeGreaterThan(0);
  }
});

it('a WebSocket is let go at the end of the grace', async () => {
  await using upstream = await RawUpstream.start(async (connection) => {
    await connection.head();
    connection.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
  });
  await using under = await gateway(upstream.url, { shutdown_grace: '300ms' });
  await using client = await rawClient(under.port);
  client.write(request('GET /ws', ['Connection: Upgrade', 'Upgrade: websocket']));
  await client.head();
  under.pitot.process.kill('SIGTERM');
  expect(await under.pitot.ended()).toBe(0);
  await client.closed();
  expect(await under.records()).toMatchObject([{ api: 'websocket', outcome: 'gateway_shutdown', status: 101 }]);
});

it('a second signal ends at once with 1, whatever runs; the log holds whole lines of what had ended a second before', async () => {
  await using upstream = new PacedUpstream({ everyMs: EVERY_MS, tokensPerChunk: 1 });
  await using under = await gateway(await upstream.start(), { shutdown_delay: '60s' });
  const { pitot } = under;
  const agent = new Agent({ keepAlive: true });
  const before = await Promise.all(Array.from({ length: 20 }, () => chat(pitot.url, { chunks: 2, agent })));
  expect(before.every(({ isWhole }) => isWhole)).toBe(true);
  const running = Array.from({ length: 10 }, () => chat(pitot.url, { chunks: 100_000, agent }));
  await sleep(1_000);
  pitot.process.kill('SIGTERM');
  await pitot.line((line) => line.includes('shutting down'));
  pitot.process.kill('SIGTERM');
  expect(await pitot.ended()).toBe(1);
  agent.destroy();
  expect((await Promise.all(running)).filter(({ isWhole }) => isWhole)).toEqual([]);
  expect((await under.records()).length).toBe(20);
});

it('a client that takes its time to read still gets the whole answer', async () => {
  const body = 'x'.repeat(8_000_000);
  await using upstream = await RawUpstream.start(async (connection) => {
    await connection.message();
    connection.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  });
  await using under = await gateway(upstream.url, { shutdown_grace: '60s' });
  await using client = await rawClient(under.port);
  client.socket.pause();
  client.write(request('GET /large'));
  await upstream.connection();
  await sleep(300);
  under.pitot.process.kill('SIGTERM');
  await sleep(300);
  client.socket.resume();
  expect((await client.message()).body).toHaveLength(body.length);
  expect(await under.pitot.ended()).toBe(0);
  expect(await under.records()).toMatchObject([{ outcome: 'complete', response_bytes: body.length }]);
});

it('a signal that answers the line with the ports is heard', async () => {
  // Several at once, so that some are held up between the line and what comes after it.
  const codes = Array.from({ length: 8 }, async () => {
    await using pitot = PitotProcess.run(['serve', '--upstream', 'http://127.0.0.1:9', ...FREE_PORTS]);
    pitot.process.stdout?.once('data', () => {
      pitot.process.kill('SIGHUP');
      pitot.process.kill('SIGTERM');
    });
    return await pitot.ended();
  });
  expect(await Promise.all(codes)).toEqual(Array(8).fill(0));
});

describe('a reader of standard output that has stopped reading', () => {
  /** More lines than a pipe and the reader's own buffers hold. */
  const REQUESTS = 2_000;

  async function unread(more: Record<string, unknown>) {
    const under = await gateway('http://127.0.0.1:9', more);
    under.pitot.process.stdout?.pause();
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    await Promise.all(Array.from({ length: REQUESTS }, () => chat(under.pitot.url, { chunks: 1, agent })));
    agent.destroy();
    return under;
  }

  const isUp = (admin: string, path: string) =>
    fetch(`http://${admin}${path}`).then(
      ({ ok }) => ok,
      () => false,
    );

  it('keeps the process from its end for two seconds at most, and a SIGHUP then does no harm', async () => {
    await using under = await unread({});
    const { pitot } = under;
    pitot.process.kill('SIGTERM');
    // The admin port is closed last: from now on only the log is waited for.
    while (await isUp(pitot.admin, '/healthz')) await sleep(10);
    pitot.process.kill('SIGHUP');
    expect(await exited(pitot)).toBe(0);
    expect(await under.records()).toHaveLength(REQUESTS);
  });

  it('does not keep a second signal from ending it at once', async () => {
    await using under = await unread({ shutdown_delay: '60s' });
    const { pitot } = under;
    pitot.process.kill('SIGTERM');
    while (await isUp(pitot.admin, '/readyz')) await sleep(10);
    pitot.process.kill('SIGTERM');
    expect(await exited(pitot)).toBe(1);
  });
});

/** Not `ended`: that waits for its output, too, which is not read here. */
async function exited({ process }: PitotProcess): Promise<number | string | null> {
  await until(() => process.exitCode !== null || process.signalCode !== null);
  return process.exitCode ?? process.signalCode;
}
