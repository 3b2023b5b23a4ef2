import { setTimeout as wait } from 'node:timers/promises';
import type { Running } from '../contestants/contestant.ts';
import { field } from '../contestants/field.ts';
import { highestThatHolds } from '../highest.ts';
import type { StreamPlan } from '../plan.ts';
import { measureOne, type Round } from '../rounds.ts';
import type { Site } from '../site.ts';
import { medianOf, spreadOf } from '../statistics.ts';
import { Traffic } from '../traffic.ts';
import type { BenchCase, CaseResult, Table } from './case.ts';
import { entries, startAll, stopAll } from './entrants.ts';

/** Streams at which the search begins. */
const FROM = 300;
/** Later rounds look around what the first one found. */
const LATER_STEP = 1.06;
/** Each is a search, of some ten measurements. */
const MOST_ROUNDS = 2;
/** Looked at once, to tell what the figures are worth: no goal is about them, and a quick run leaves them out. */
const YARDSTICKS = ['direct', 'nginx'];
const MOST_SECONDS = 2;
const HIGHEST_P99_MS = 100;
const ENOUGH_ARRIVED = 0.98;
/** What stands in the queues of an overloaded process is not the next measurement's. */
const RECOVER_MS = 1_000;

interface Spec {
  readonly name: string;
  readonly title: string;
  /** Of every number of streams that is tried. */
  readonly plan: Omit<StreamPlan, 'streams'>;
  readonly without: readonly string[];
}

interface Found {
  readonly contestant: string;
  readonly round: number;
  /** The most that held; null when nothing did. */
  readonly eventsPerSecond: number | null;
  readonly p99Ms: number | null;
  readonly tried: number;
}

/** How many events a second pass before the 99th percentile takes 100 ms, or anything is lost. */
export function saturation(spec: Spec): BenchCase {
  return { name: spec.name, title: spec.title, run: (site) => run(site, spec) };
}

async function run(site: Site, { plan, without }: Spec): Promise<CaseResult> {
  const { running, notes } = await startAll(site, field(site, site.isQuick ? [...without, ...YARDSTICKS] : without));
  const traffic = new Traffic(site);
  const found: Found[] = [];
  for (const contestant of running) {
    const warmUp = { ...plan, streams: FROM / 2 };
    await measureOne({ contestant, traffic, plan: warmUp, seconds: site.warmUpSeconds, round: -1 });
  }
  const rounds = site.isQuick ? 1 : Math.min(site.rounds, MOST_ROUNDS);
  for (let round = 0; round < rounds; round += 1) {
    for (const contestant of running.filter(({ name }) => round === 0 || !YARDSTICKS.includes(name))) {
      found.push(await search({ site, traffic, contestant, plan, round, earlier: mostOf(found, contestant.name) }));
    }
  }
  await stopAll(site, running);
  const saturated = found.flatMap((one) => (one.contestant === 'pitot' ? (one.eventsPerSecond ?? []) : []));
  return {
    contestants: entries(running),
    table: tableOf(found, running),
    figures: [{ goal: 'saturation', where: '', ...spreadOf(saturated) }],
    notes: [
      ...notes,
      'Upstream and load client run on the same cores: what they take is in the figure. `direct` is the most they do alone.',
    ],
    measurements: found,
  };
}

interface Search {
  site: Site;
  traffic: Traffic;
  contestant: Running;
  plan: Omit<StreamPlan, 'streams'>;
  round: number;
  /** What earlier rounds found, events a second. */
  earlier: number | null;
}

async function search({ site, traffic, contestant, plan, round, earlier }: Search): Promise<Found> {
  site.say(`saturation of ${contestant.name}, round ${round + 1}`);
  const seconds = Math.min(site.seconds, MOST_SECONDS);
  const tried: Round[] = [];
  let p99Ms: number | null = null;
  const holds = async (streams: number) => {
    try {
      const measured = await measureOne({ contestant, traffic, plan: { ...plan, streams }, seconds, round });
      tried.push(measured);
      const isHeld = hasHeld(measured);
      if (isHeld) p99Ms = measured.p99Ms;
      else await wait(RECOVER_MS);
      return isHeld;
    } catch {
      // Not all streams got through: too many.
      await wait(RECOVER_MS);
      return false;
    }
  };
  const from = earlier === null ? { from: FROM } : { from: Math.round(earlier / plan.perSecond), step: LATER_STEP };
  const streams = await highestThatHolds(holds, from);
  const eventsPerSecond = streams === null ? null : streams * plan.perSecond;
  return { contestant: contestant.name, round, eventsPerSecond, p99Ms, tried: tried.length };
}

function hasHeld({ p99Ms, arrived, faults }: Round): boolean {
  return p99Ms !== null && p99Ms <= HIGHEST_P99_MS && arrived >= ENOUGH_ARRIVED && faults.length === 0;
}

/** The median of the rounds so far. */
function mostOf(found: readonly Found[], name: string): number | null {
  return medianOf(found.filter(({ contestant }) => contestant === name).map((one) => one.eventsPerSecond));
}

function tableOf(found: readonly Found[], running: readonly Running[]): Table {
  const columns = [
    { title: 'saturated at', unit: 'events/s', digits: 0 },
    { title: 'lowest', unit: 'events/s', digits: 0 },
    { title: 'highest', unit: 'events/s', digits: 0 },
    { title: 'p99 there', unit: 'ms', digits: 1 },
  ];
  const rows = running.map(({ name }) => {
    const own = found.filter(({ contestant }) => contestant === name);
    const { value, range } = spreadOf(own.flatMap((one) => one.eventsPerSecond ?? []));
    return { name, values: [value, range?.[0] ?? null, range?.[1] ?? null, medianOf(own.map((one) => one.p99Ms))] };
  });
  return { columns, rows };
}
