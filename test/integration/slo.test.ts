import { request as httpRequest } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import type { Slo, UsageRecord } from '../../src/meter/record.ts';
import { type Behaviour, behavingUpstream } from '../helpers/behaving-upstream.ts';
import { configOf } from '../helpers/gateway.ts';
import { runningApp } from '../helpers/running-app.ts';

/** Far from what a busy machine may make of a few milliseconds. */
const EASY = '60s';
const PATIENCE_MS = 20_000;
const WORKLOADS = [
  { name: 'chat', match: { header: { 'x-workload': 'chat' } }, slo: { ttft: EASY, tpot: EASY, gap: EASY, e2e: EASY } },
  { name: 'strict', match: { header: { 'x-workload': 'strict' } }, slo: { ttft: '200ms' } },
  { name: 'own', match: { header: { 'x-workload': 'own' } }, slo: { ttft: EASY, speed: 0.001 }, slo_override: true },
  { name: 'batch', match: { header: { 'x-workload': 'batch' } } },
];
const GOOD = { ttft: true, tpot: true, gap: true, e2e: true, all: true };
const BAD = { ttft: false, tpot: false, gap: false, e2e: false, all: false };

type Gateway = Awaited<ReturnType<typeof runningApp>>;

interface Ask {
  behaviour: Behaviour;
  workload?: string;
  stream?: boolean;
  headers?: Record<string, string>;
  /** Leaves when the test says so. */
  leave?: AbortSignal;
}

/** Numbers the requests. */
let asks = 0;

/** One request; resolves when its answer is over, however that came. */
function ask({ port }: Gateway, { behaviour, workload = 'chat', stream = true, headers = {}, leave }: Ask) {
  return new Promise<void>((resolve) => {
    const body = JSON.stringify({ model: 'tiny', messages: [], stream });
    asks += 1;
    const sent = httpRequest({
      host: '127.0.0.1',
      port,
      path: '/v1/chat/completions',
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        'x-do': behaviour,
        'x-workload': workload,
        ...headers,
        'x-request-id': `${asks}`,
      },
      ...(leave === undefined ? {} : { signal: leave }),
    });
    sent.on('response', (answer) => answer.resume().on('error', () => {}));
    sent.on('error', () => {});
    sent.on('close', () => resolve());
    sent.end(body);
  });
}

const scrape = async ({ adminUrl }: Gateway) => await (await fetch(`${adminUrl}/metrics`)).text();

interface Series {
  name: string;
  workload: string;
  slo?: Slo;
  verdict?: 'good' | 'bad';
}

/** The sum over the series with these labels, whatever their model; null: there is none. */
function valueIn(exposition: string, { name, ...labels }: Series): number | null {
  let sum: number | null = null;
  for (const line of exposition.split('\n')) {
    if (!line.startsWith(`${name}{`)) continue;
    if (!Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`))) continue;
    sum = (sum ?? 0) + Number(line.slice(line.lastIndexOf(' ')));
  }
  return sum;
}

const verdicts = (exposition: string, workload: string, slo: Slo) =>
  (['good', 'bad'] as const).map((verdict) =>
    valueIn(exposition, { name: 'pitot_slo_requests_total', workload, slo, verdict }),
  );

const undecided = (exposition: string, workload: string, slo: Slo) =>
  valueIn(exposition, { name: 'pitot_slo_undecided_requests_total', workload, slo });

/** The records so far, once there are so many, in the order in which they were asked: some wait for a local count. */
async function records(gateway: Gateway, count: number): Promise<UsageRecord[]> {
  return await vi.waitFor(async () => {
    const lines = (await gateway.usageLog()).split('\n').filter((line) => line !== '');
    expect(lines).toHaveLength(count);
    const found: UsageRecord[] = lines.map((line) => JSON.parse(line));
    return found.sort((a, b) => Number(a.request_id) - Number(b.request_id));
  }, PATIENCE_MS);
}

describe('the verdicts of real requests', () => {
  const CASES: [Behaviour, boolean, object][] = [
    ['stream', true, GOOD],
    ['once', false, { e2e: true, all: true }],
    ['once', true, { e2e: true, all: true }],
    ['stream', false, GOOD],
    ['404', true, {}],
    ['429', true, BAD],
    ['500', true, BAD],
    ['500', false, { e2e: false, all: false }],
    ['error-in-stream', true, BAD],
    ['truncated', true, BAD],
    ['reset', true, BAD],
    ['reset-at-once', true, BAD],
    ['reset-at-once', false, { e2e: false, all: false }],
  ];

  it('stand in their records, and add up in the metrics and in the goodput of the snapshot', async () => {
    await using upstream = await behavingUpstream();
    await using gateway = await runningApp({ upstreams: upstream.url, config: { workloads: WORKLOADS } });
    for (const [behaviour, stream] of CASES) await ask(gateway, { behaviour, stream });
    expect((await records(gateway, CASES.length)).map(({ slo }) => slo)).toEqual(CASES.map(([, , slo]) => slo));
    // Three of them were good at their first token, and then failed: so many good ones later, the counts are exact.
    for (let request = 0; request < 3; request += 1) await ask(gateway, { behaviour: 'stream', stream: true });
    const found = await records(gateway, CASES.length + 3);

    const exposition = await scrape(gateway);
    const count = (slo: Slo, isGood: boolean) => found.filter((record) => record.slo[slo] === isGood).length;
    for (const slo of ['ttft', 'tpot', 'gap', 'e2e', 'all'] as const) {
      expect(verdicts(exposition, 'chat', slo), slo).toEqual([count(slo, true), count(slo, false)]);
    }
    const goodTokens = valueIn(exposition, { name: 'pitot_good_output_tokens_total', workload: 'chat' });
    expect(goodTokens).toBe(3 * count('all', true));
    const chat = () => gateway.app.snapshot().goodput.find(({ workload }) => workload === 'chat');
    await vi.waitFor(() => expect(chat()?.judged_requests_per_second).toBeCloseTo(15 / 60), PATIENCE_MS);
    expect(chat()?.good_ratio).toBeCloseTo(7 / 15);
    expect(chat()?.tokens_per_second).toBeCloseTo(21 / 60);
  });

  it('of a client that left are what was known by then, and the rest is undecided', async () => {
    await using upstream = await behavingUpstream();
    await using gateway = await runningApp({ upstreams: upstream.url, config: { workloads: WORKLOADS } });
    await ask(gateway, { behaviour: 'silent', leave: AbortSignal.timeout(100) });
    const left = new AbortController();
    const asked = ask(gateway, { behaviour: 'endless', leave: left.signal });
    await vi.waitFor(() => expect(gateway.app.snapshot().in_flight.decode).toBe(1), PATIENCE_MS);
    // The second chunk follows the first within milliseconds: with it there is a time per token.
    await new Promise((resolve) => setTimeout(resolve, 200));
    left.abort();
    await asked;
    const [silent, endless] = await records(gateway, 2);
    expect([silent?.outcome, silent?.slo]).toEqual(['client_aborted', {}]);
    expect([endless?.outcome, endless?.slo]).toEqual([
      'client_aborted',
      { ttft: true, tpot: true, gap: true, all: true },
    ]);
    const exposition = await scrape(gateway);
    expect((['ttft', 'e2e', 'all'] as const).map((slo) => undecided(exposition, 'chat', slo))).toEqual([1, 2, 1]);
    expect(verdicts(exposition, 'chat', 'all')).toEqual([1, 0]);
  });
});

describe('a stream without a token', () => {
  it.each(['stuck', 'silent'] as const)('that is %s is bad while it still waits, and once', async (behaviour) => {
    await using upstream = await behavingUpstream();
    await using gateway = await runningApp({ upstreams: upstream.url, config: { workloads: WORKLOADS } });
    const left = new AbortController();
    const asked = ask(gateway, { behaviour, workload: 'strict', leave: left.signal });
    await vi.waitFor(async () => {
      expect(verdicts(await scrape(gateway), 'strict', 'ttft')).toEqual([0, 1]);
    }, PATIENCE_MS);
    expect(gateway.app.snapshot().in_flight.prefill).toBe(1);
    expect(verdicts(await scrape(gateway), 'strict', 'all')).toEqual([0, 1]);
    left.abort();
    await asked;
    const [record] = await records(gateway, 1);
    expect(record?.slo).toEqual({ ttft: false, all: false });
    const exposition = await scrape(gateway);
    expect(verdicts(exposition, 'strict', 'ttft')).toEqual([0, 1]);
    expect(undecided(exposition, 'strict', 'ttft')).toBe(0);
  });
});

describe('targets', () => {
  it('of a request replace those of its workload where it allows that, and nowhere else', async () => {
    await using upstream = await behavingUpstream();
    await using gateway = await runningApp({ upstreams: upstream.url, config: { workloads: WORKLOADS } });
    const impossible = { 'x-slo-ttft-ms': '0.001', 'x-slo-tpot-ms': '0.001' };
    await ask(gateway, { behaviour: 'stream', workload: 'own' });
    await ask(gateway, { behaviour: 'stream', workload: 'own', headers: impossible });
    await ask(gateway, { behaviour: 'stream', workload: 'own', headers: { 'x-slo-ttft-ms': '-1' } });
    await ask(gateway, { behaviour: 'stream', workload: 'chat', headers: impossible });
    expect((await records(gateway, 4)).map(({ slo }) => slo)).toEqual([
      { ttft: true, speed: true, all: true },
      { ttft: false, speed: false, all: false },
      { ttft: true, speed: true, all: true },
      GOOD,
    ]);
  });

  it('of a reload are those of the next request; one under way keeps its own', async () => {
    await using upstream = await behavingUpstream();
    const workloads = (ttft: string) => [{ name: 'all', slo: { ttft } }];
    const keys = { admin: { listen: '127.0.0.1:0' }, log: { level: 'silent' }, shutdown_grace: '0s' };
    await using gateway = await runningApp({
      upstreams: upstream.url,
      config: { ...keys, workloads: workloads(EASY) },
    });
    const left = new AbortController();
    const underWay = ask(gateway, { behaviour: 'stuck', leave: left.signal });
    await vi.waitFor(() => expect(gateway.app.snapshot().in_flight.prefill).toBe(1), PATIENCE_MS);
    gateway.app.reload(configOf(upstream.url, { ...keys, workloads: workloads('0.001ms') }));
    await ask(gateway, { behaviour: 'stream' });
    await vi.waitFor(async () => expect(verdicts(await scrape(gateway), 'all', 'ttft')).toEqual([0, 1]), PATIENCE_MS);
    const seconds = { name: 'pitot_slo_threshold_seconds', workload: 'all', slo: 'ttft' } as const;
    expect(valueIn(await scrape(gateway), seconds)).toBe(0.000001);
    left.abort();
    await underWay;
    await vi.waitFor(async () => expect(undecided(await scrape(gateway), 'all', 'ttft')).toBe(1), PATIENCE_MS);
  });
});

describe('two workloads', () => {
  it('stay apart, and one without targets has no series', async () => {
    await using upstream = await behavingUpstream();
    await using gateway = await runningApp({ upstreams: upstream.url, config: { workloads: WORKLOADS } });
    for (let round = 0; round < 3; round += 1) {
      await ask(gateway, { behaviour: 'stream', workload: 'chat' });
      await ask(gateway, { behaviour: 'once', workload: 'batch', stream: false });
    }
    const found = await records(gateway, 6);
    for (const { workload, slo } of found) expect(slo).toEqual(workload === 'chat' ? GOOD : {});
    const exposition = await scrape(gateway);
    expect(verdicts(exposition, 'chat', 'all')).toEqual([3, 0]);
    expect(verdicts(exposition, 'batch', 'all')).toEqual([null, null]);
    expect(gateway.app.snapshot().goodput.map(({ workload }) => workload)).toEqual(['chat', 'strict', 'own']);
  });
});
