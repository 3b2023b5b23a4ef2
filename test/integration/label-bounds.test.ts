import { Agent, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { heapBytes } from '../helpers/heap.ts';
import { runningApp } from '../helpers/running-app.ts';

const CLIENTS = 24;
const LIMITS = { max_label_sets: 14, max_models: 10 };
const MAX_USERS = 15;
const WORKLOADS = ['w0', 'w1', 'w2'];
const PATHS = ['/v1/chat/completions', '/v1/completions', '/v1/messages', '/api/chat', '/v1/models'];
/** Of each of these, so many requests. */
const REQUESTS = 10_000;
const AFTERWARDS = 3_000;
/** What a retained request costs is above 1 kB: ten times less than if each were retained. */
const MOST_GROWTH_BYTES = 2_000_000;

/** Answers names that begin with `real` as most servers do, with the name they were asked for; all others do not exist. */
async function modelServer() {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { model } = parts.length === 0 ? { model: 'none' } : JSON.parse(Buffer.concat(parts).toString());
      const exists = typeof model === 'string' && model.startsWith('real');
      response.writeHead(exists ? 200 : 404, { 'content-type': 'application/json' });
      const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
      response.end(
        JSON.stringify(exists ? { model, choices: [{ message: { content: 'ok' } }], usage } : { error: {} }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Every request of another model, path, user and workload; every twentieth model name is long, or none at all. */
function randomRequest(number: number) {
  const word = Math.random().toString(36).slice(2);
  const models = [`real-${word}`, `fake-${word}`, `fake-${word}`];
  const odd = [number, null, ['x'], `real-${word}`.padEnd(5_000, 'y'), `real-\u0000"\n${word}`];
  const model = number % 20 === 0 ? odd[(number / 20) % odd.length] : models[number % models.length];
  return {
    path: number % 3 === 0 ? `/${word}/${number}` : `${PATHS[number % PATHS.length]}?n=${word}`,
    headers: {
      authorization: `Bearer ${word}`,
      'x-workload': number % 4 === 0 ? word : `w${Math.floor(number / 3) % 3}`,
    },
    body: JSON.stringify({ model, user: word }),
  };
}

/** Requests by their numbers, from `from`, over kept connections. */
async function send(
  port: number,
  { agent, from, count }: { agent: Agent; from: number; count: number },
): Promise<void> {
  let next = from;
  const client = async () => {
    while (next < from + count) {
      const { path, headers, body } = randomRequest(next);
      next += 1;
      await new Promise<void>((resolve, reject) => {
        const length = Buffer.byteLength(body);
        const asked = httpRequest(
          { host: '127.0.0.1', port, path, method: 'POST', agent, headers: { ...headers, 'content-length': length } },
          (answer) => answer.resume().on('end', resolve),
        );
        asked.on('error', reject);
        asked.end(body);
      });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** The distinct values of some labels over all series, each as one text. */
function distinct(exposition: string, labels: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const line of exposition.split('\n')) {
    const values = labels.map((label) => new RegExp(`[{,]${label}="((?:[^"\\\\]|\\\\.)*)"`).exec(line)?.[1]);
    if (values.every((value) => value !== undefined)) found.add(values.join(' '));
  }
  return found;
}

describe('ten thousand requests, each of another model, path, user and workload', () => {
  it('mint no series beyond the limits, none for what no answer confirmed, and leave nothing in memory', async () => {
    await using upstream = await modelServer();
    await using gateway = await runningApp({
      upstreams: upstream.url,
      logLevel: 'silent',
      config: {
        limits: LIMITS,
        identity: { user: [{ api_key: 'hash' }], max_users: MAX_USERS },
        workloads: WORKLOADS.map((name) => ({ name, match: { header: { 'x-workload': name } } })),
      },
    });
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
    const scrape = async () => await (await fetch(`${gateway.adminUrl}/metrics`)).text();
    await send(gateway.port, { agent, from: 0, count: REQUESTS });
    const exposition = await scrape();

    const models = distinct(exposition, ['model']);
    expect(models.size).toBeLessThanOrEqual(LIMITS.max_models + 2);
    expect(
      [...models].filter((model) => !model.startsWith('real') && model !== 'unknown' && model !== 'other'),
    ).toEqual([]);
    expect(models).toContain('other');
    expect(Math.max(...[...models].map((model) => model.length))).toBeLessThanOrEqual(128);
    const sets = distinct(exposition, ['upstream', 'model', 'workload']);
    expect(sets.size).toBeLessThanOrEqual(LIMITS.max_label_sets);
    expect(sets.size).toBeGreaterThan(LIMITS.max_label_sets - 2);
    expect(distinct(exposition, ['workload'])).toEqual(new Set([...WORKLOADS, 'default']));
    expect(distinct(exposition, ['user']).size).toBe(MAX_USERS + 1);
    expect(distinct(exposition, ['path']).size).toBe(0);
    for (const label of ['model', 'label_set', 'user'])
      expect(
        Number(new RegExp(`^pitot_label_overflow_total\\{label="${label}"\\} (\\d+)`, 'm').exec(exposition)?.[1]),
      ).toBeGreaterThan(0);

    const recorded = (count: number) =>
      vi.waitFor(
        async () => expect(await scrape()).toMatch(new RegExp(`^pitot_usage_records_total ${count}$`, 'm')),
        20_000,
      );
    await recorded(REQUESTS);
    const before = heapBytes();
    await send(gateway.port, { agent, from: REQUESTS, count: AFTERWARDS });
    await recorded(REQUESTS + AFTERWARDS);
    const grownBytes = heapBytes() - before;
    const series = (text: string) => text.match(/^[^#\n]/gm)?.length ?? 0;
    expect(Math.abs(series(await scrape()) - series(exposition))).toBeLessThanOrEqual(2);
    expect(grownBytes).toBeLessThan(MOST_GROWTH_BYTES);
    process.stderr.write(
      `${series(exposition)} series, heap ${(grownBytes / 1e6).toFixed(2)} MB larger after ${AFTERWARDS} more\n`,
    );
    agent.destroy();
  }, 120_000);
});
