import { setTimeout as wait } from 'node:timers/promises';
import type { Contestant, Running } from '../contestants/contestant.ts';
import type { Plan } from '../load.ts';
import { residentBytes } from '../process-tree.ts';
import type { Site } from '../site.ts';
import { Traffic } from '../traffic.ts';
import type { BenchCase, Table } from './case.ts';
import { startAll, stopAll } from './entrants.ts';

const SAMPLE_MS = 200;
const AFTER_MS = 3_000;

interface Spec {
  readonly name: string;
  readonly title: string;
  readonly plan: Plan;
  readonly contestants: readonly Contestant[];
  readonly goals: { readonly residentMb: number };
}

interface Memory {
  readonly contestant: string;
  readonly beforeMb: number;
  readonly openMb: number;
  readonly afterMb: number;
}

/** Resident memory of a fresh process with many streams that hardly move: the highest while they are open. */
export function openStreams(spec: Spec): BenchCase {
  return {
    name: spec.name,
    title: spec.title,
    run: async (site) => {
      const traffic = new Traffic(site);
      const rounds: Memory[] = [];
      const notes: string[] = [];
      for (const contestant of spec.contestants) {
        site.say(`${spec.plan.streams} streams through ${contestant.name}`);
        const { running, notes: missing } = await startAll(site, [contestant]);
        for (const one of running) rounds.push(await measure({ site, traffic, running: one, plan: spec.plan, notes }));
        await stopAll(site, running);
        notes.push(...missing);
      }
      const value = rounds.find(({ contestant }) => contestant === 'pitot')?.openMb ?? null;
      const name = `resident memory of Pitot, ${spec.plan.streams} open streams`;
      const figures = [{ name, value, range: null, unit: 'MB', digits: 0, goal: spec.goals.residentMb }];
      return { table: tableOf(rounds, spec.plan), figures, notes: [...new Set(notes)], rounds };
    },
  };
}

interface Subject {
  site: Site;
  traffic: Traffic;
  running: Running;
  plan: Plan;
  notes: string[];
}

async function measure({ site, traffic, running, plan, notes }: Subject): Promise<Memory> {
  const residentMb = () => (running.child === null ? 0 : residentBytes(running.child.pid) / 1e6);
  await wait(1_000);
  const beforeMb = residentMb();
  let openMb = beforeMb;
  const sampling = setInterval(() => {
    openMb = Math.max(openMb, residentMb());
  }, SAMPLE_MS);
  try {
    await traffic.open(running, plan);
    const { faults } = await traffic.measure(site.seconds);
    if (faults[0] !== undefined) notes.push(`${running.name}: ${faults.length} faults, the first: ${faults[0]}.`);
  } finally {
    clearInterval(sampling);
  }
  await traffic.close();
  await wait(AFTER_MS);
  return { contestant: running.name, beforeMb, openMb, afterMb: residentMb() };
}

function tableOf(memories: readonly Memory[], plan: Plan): Table {
  const columns = [
    { title: 'before', unit: 'MB', digits: 1 },
    { title: 'open', unit: 'MB', digits: 1 },
    { title: 'per stream', unit: 'kB', digits: 1 },
    { title: 'after', unit: 'MB', digits: 1 },
  ];
  const rows = memories.map(({ contestant, beforeMb, openMb, afterMb }) => ({
    name: contestant,
    values: [beforeMb, openMb, ((openMb - beforeMb) * 1000) / plan.streams, afterMb],
  }));
  return { columns, rows };
}
