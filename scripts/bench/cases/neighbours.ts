import { setTimeout as wait } from 'node:timers/promises';
import type { Child } from '../children.ts';
import { listening, pitot, serveArguments } from '../contestants/pitot.ts';
import { ask } from '../conversation.ts';
import { firstTokenTimesMs } from '../first-tokens.ts';
import type { HeavyAnswer, HeavyKind, HeavyQuestion } from '../heavy.ts';
import type { Target } from '../load-user.ts';
import { residentBytes } from '../process-tree.ts';
import type { Site } from '../site.ts';
import { median, percentile } from '../statistics.ts';
import type { BenchCase, CaseResult, Figure } from './case.ts';

/** What goes on beside: nothing, then 500 MiB that a client stops to read, or reads, and uploads of 200 MiB. */
const BESIDE: Readonly<Record<string, HeavyKind | null>> = {
  nothing: null,
  'a reader that stops': 'stopped reader',
  'answers of 500 MiB': 'flood',
  'uploads of 200 MiB': 'upload',
};
const SAMPLE_MS = 20;
/** Each kind of traffic wants a fresh process. */
const MOST_ROUNDS = 2;
const SETTLE_MS = 500;
const WARM_SECONDS = 3;
/** The probe keeps a core busy, so turns are not measured together with the times of others. */
const TURN_SECONDS = 2;

interface Spec {
  readonly name: string;
  readonly title: string;
}

interface Beside {
  readonly beside: string;
  readonly requests: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly grownMb: number;
  readonly longestTurnMs: number;
  /** Whole answers or uploads that passed meanwhile. */
  readonly passed: number;
}

/** What one client's heavy traffic costs another: its time to first token, memory, turns of the event loop. */
export function neighbours(spec: Spec): BenchCase {
  return {
    name: spec.name,
    title: spec.title,
    run: async (site) => {
      const contestants = [{ name: pitot.name, about: pitot.about(site) }];
      return { contestants, ...resultOf(await measureAll(site)) };
    },
  };
}

async function measureAll(site: Site): Promise<Beside[]> {
  const heavy = site.children.fork('heavy', new URL('../heavy.ts', import.meta.url));
  const { port } = await ask<HeavyQuestion, HeavyAnswer>(heavy, { kind: 'listen' }, 5_000);
  const all: Beside[] = [];
  const rounds = site.isQuick ? 1 : Math.min(site.rounds, MOST_ROUNDS);
  for (let round = 0; round < rounds; round += 1) {
    for (const [beside, kind] of Object.entries(BESIDE)) {
      site.say(`beside ${beside}, round ${round + 1} of ${rounds}`);
      // A fresh process each time: what one neighbour left in memory is not the next one's.
      const { child, data } = await startPitot(site, port);
      all.push(await measure({ site, heavy, child, data }, { beside, kind }));
      await site.children.stop(child);
    }
  }
  await site.children.stop(heavy);
  return all;
}

async function startPitot(site: Site, heavyPort: number): Promise<{ child: Child; data: Target }> {
  const upstreams = [
    { name: 'heavy', url: `http://127.0.0.1:${heavyPort}`, match: { path: '/heavy' }, engine: 'vllm' },
    { name: 'bench', url: `http://127.0.0.1:${site.upstreamPort}` },
  ];
  const args = serveArguments(site, { name: 'pitot-neighbours', metering: 'full', more: { upstreams } });
  const probe = new URL('../loop-probe.mjs', import.meta.url);
  const child = site.children.fork('pitot-neighbours', site.pitot, { args, execArgv: ['--import', probe.href] });
  const { data } = await listening(child);
  await firstTokenTimesMs(data, WARM_SECONDS);
  return { child, data };
}

interface Scene {
  readonly site: Site;
  readonly heavy: Child;
  readonly child: Child;
  readonly data: Target;
}

async function measure(scene: Scene, { beside, kind }: { beside: string; kind: HeavyKind | null }): Promise<Beside> {
  const { site, heavy, child, data } = scene;
  const residentMb = () => residentBytes(child.pid) / 1e6;
  const beforeMb = residentMb();
  let highestMb = beforeMb;
  const sampling = setInterval(() => {
    highestMb = Math.max(highestMb, residentMb());
  }, SAMPLE_MS);
  const question = (asked: HeavyQuestion) => ask<HeavyQuestion, HeavyAnswer>(heavy, asked, 5_000);
  if (kind !== null) await question({ kind: 'begin', what: kind, through: data });
  await wait(SETTLE_MS);
  const times = await firstTokenTimesMs(data, site.seconds);
  clearInterval(sampling);
  const longestTurnMs = await longestTurn(child, () => wait(TURN_SECONDS * 1000));
  const { done } = await question({ kind: 'end' });
  return {
    beside,
    requests: times.length,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    grownMb: highestMb - beforeMb,
    longestTurnMs,
    passed: kind === null ? 0 : done,
  };
}

async function longestTurn(child: Child, during: () => Promise<unknown>): Promise<number> {
  await ask(child, { kind: 'begin' }, 5_000);
  await during();
  return (await ask<object, { longestMs: number }>(child, { kind: 'end' }, 5_000)).longestMs;
}

function resultOf(all: readonly Beside[]): Omit<CaseResult, 'contestants'> {
  const of = (beside: string) => all.filter((one) => one.beside === beside);
  const p99Ms = (beside: string) => median(of(beside).flatMap((one) => one.p99Ms ?? []));
  const grownMb = (beside: string) => median(of(beside).map((one) => one.grownMb));
  const rows = Object.keys(BESIDE).map((name) => ({
    name: `beside ${name}`,
    values: [
      median(of(name).flatMap((one) => one.p50Ms ?? [])),
      p99Ms(name),
      grownMb(name),
      Math.max(...of(name).map((one) => one.longestTurnMs)),
      Math.max(...of(name).map((one) => one.passed)),
    ],
  }));
  const columns = [
    { title: 'TTFT p50', unit: 'ms', digits: 2 },
    { title: 'p99', unit: 'ms', digits: 2 },
    { title: 'memory grew by', unit: 'MB', digits: 1 },
    { title: 'longest turn', unit: 'ms', digits: 1 },
    { title: 'passed beside', unit: '', digits: 0 },
  ];
  const more = (of: (beside: string) => number | null, beside: string): number | null => {
    const [rest, loaded] = [of('nothing'), of(beside)];
    return rest === null || loaded === null ? null : loaded - rest;
  };
  const figures = Object.entries(BESIDE).flatMap(([name, kind]): Figure[] => {
    if (kind === null) return [];
    return [
      { goal: 'neighbour-wait', where: name, value: more(p99Ms, name), range: null },
      { goal: 'neighbour-memory', where: name, value: more(grownMb, name), range: null },
    ];
  });
  return { table: { columns, rows }, figures, notes: [], measurements: all };
}
