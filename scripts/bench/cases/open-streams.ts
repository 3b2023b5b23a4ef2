import { setTimeout as wait } from 'node:timers/promises';
import type { Running } from '../contestants/contestant.ts';
import { field } from '../contestants/field.ts';
import type { GoalName } from '../goals.ts';
import type { StreamPlan } from '../plan.ts';
import { residentBytes } from '../process-tree.ts';
import type { Site } from '../site.ts';
import { medianOf, spreadOf } from '../statistics.ts';
import { Traffic } from '../traffic.ts';
import type { BenchCase, CaseResult, Table } from './case.ts';
import { entries, startAll, stopAll } from './entrants.ts';

const SAMPLE_MS = 200;
const AFTER_MS = 3_000;

interface Spec {
  readonly name: string;
  readonly title: string;
  readonly plan: StreamPlan;
  /** Contestants that cannot take part. */
  readonly without: readonly string[];
  /** A fresh process of each contestant in each; fewer than elsewhere, for memory is less noisy than time. */
  readonly rounds: number;
  readonly goal: GoalName | null;
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
    run: async (site) => resultOf(await measureAll(site, spec), spec),
  };
}

async function measureAll(site: Site, spec: Spec) {
  const traffic = new Traffic(site);
  const memories: Memory[] = [];
  const notes: string[] = [];
  const took = new Map<string, string>();
  const rounds = site.isQuick ? 1 : Math.min(site.rounds, spec.rounds);
  for (let round = 0; round < rounds; round += 1) {
    for (const contestant of field(site, spec.without)) {
      site.say(`${spec.plan.streams} streams through ${contestant.name}, round ${round + 1}`);
      const { running, notes: missing } = await startAll(site, [contestant]);
      for (const one of entries(running)) took.set(one.name, one.about);
      for (const one of running)
        memories.push(...(await measure({ site, traffic, running: one, plan: spec.plan, notes })));
      await stopAll(site, running);
      notes.push(...missing);
    }
  }
  return { memories, notes: [...new Set(notes)], contestants: [...took].map(([name, about]) => ({ name, about })) };
}

function resultOf({ memories, notes, contestants }: Awaited<ReturnType<typeof measureAll>>, spec: Spec): CaseResult {
  const own = memories.filter(({ contestant }) => contestant === 'pitot').map(({ openMb }) => openMb);
  return {
    contestants,
    table: tableOf(memories, spec.plan),
    figures: spec.goal === null ? [] : [{ goal: spec.goal, where: '', ...spreadOf(own) }],
    notes,
    measurements: memories,
  };
}

interface Subject {
  site: Site;
  traffic: Traffic;
  running: Running;
  plan: StreamPlan;
  notes: string[];
}

/** Nothing, with a note, where not all streams get through. */
async function measure({ site, traffic, running, plan, notes }: Subject): Promise<Memory[]> {
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
  } catch (error) {
    notes.push(error instanceof Error ? error.message : String(error));
    return [];
  } finally {
    clearInterval(sampling);
  }
  await traffic.close();
  await wait(AFTER_MS);
  return [{ contestant: running.name, beforeMb, openMb, afterMb: residentMb() }];
}

function tableOf(memories: readonly Memory[], plan: StreamPlan): Table {
  const columns = [
    { title: 'before', unit: 'MB', digits: 1 },
    { title: 'open', unit: 'MB', digits: 1 },
    { title: 'per stream', unit: 'kB', digits: 1 },
    { title: 'after', unit: 'MB', digits: 1 },
  ];
  const names = [...new Set(memories.map(({ contestant }) => contestant))];
  const rows = names.map((name) => {
    const own = memories.filter(({ contestant }) => contestant === name);
    const perStreamKb = own.map(({ openMb, beforeMb }) => ((openMb - beforeMb) * 1000) / plan.streams);
    return {
      name,
      values: [
        medianOf(own.map(({ beforeMb }) => beforeMb)),
        medianOf(own.map(({ openMb }) => openMb)),
        medianOf(perStreamKb),
        medianOf(own.map(({ afterMb }) => afterMb)),
      ],
    };
  });
  return { columns, rows };
}
