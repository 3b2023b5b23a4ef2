import { availableParallelism } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { Running } from './contestants/contestant.ts';
import { duePerSecond, type Plan } from './plan.ts';
import { cpuTimeMs, machineBusyMs } from './process-tree.ts';
import type { Site } from './site.ts';
import type { Traffic } from './traffic.ts';

/** What one contestant did in one round. */
export interface Round {
  readonly contestant: string;
  readonly round: number;
  /** Events of streams, or answered calls. */
  readonly events: number;
  /** Events that arrived per event that was due. */
  readonly arrived: number;
  /** CPU time per relayed event; null where nothing relays, or nothing arrived. */
  readonly cpuUs: number | null;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly maxMs: number | null;
  readonly faults: readonly string[];
  /** Of all cores, spent by processes that do not belong to the bench, or taken by the host of a virtual machine. */
  readonly othersShare: number;
}

/** Of the pace of the rounds: the compiler of a JavaScript contestant has to have done its work, which would count as the relay's. */
const WARM_UP_PACE = 2;

/** A B C D, D C B A, …: whatever drifts over time touches all alike. */
function orderOf<T>(contestants: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? contestants : [...contestants].reverse();
}

/** All contestants in all rounds, one at a time, after an unmeasured warm-up of each. Who fails is out, with a note. */
export async function runRounds(site: Site, traffic: Traffic, { running, plan }: { running: Running[]; plan: Plan }) {
  const rounds: Round[] = [];
  const out = new Map<Running, string>();
  const { seconds, leadSeconds, warmUpSeconds } = site;
  const warmUp = { plan: { ...plan, perSecond: plan.perSecond * WARM_UP_PACE }, seconds: warmUpSeconds };
  const attempt = async (contestant: Running, round: number) => {
    if (out.has(contestant)) return;
    const isWarmUp = round < 0;
    try {
      const measurement = isWarmUp ? warmUp : { plan, seconds, leadSeconds };
      const measured = await measureOne({ contestant, traffic, round, ...measurement });
      if (!isWarmUp) rounds.push(measured);
    } catch (error) {
      out.set(contestant, `${contestant.name} is out: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  for (const contestant of running) {
    site.say(`warming ${contestant.name}`);
    await attempt(contestant, -1);
  }
  for (let round = 0; round < site.rounds; round += 1) {
    site.say(`round ${round + 1} of ${site.rounds}`);
    for (const contestant of orderOf(running, round)) await attempt(contestant, round);
  }
  return { rounds, notes: [...out.values()] };
}

interface Measurement {
  contestant: Running;
  traffic: Traffic;
  plan: Plan;
  seconds: number;
  /** Under the same load, before it is measured (0): see `Site.leadSeconds`. */
  leadSeconds?: number;
  round: number;
}

/** @throws Error when not all users of the plan got through. */
export async function measureOne(measurement: Measurement): Promise<Round> {
  const { contestant, traffic, plan, seconds, leadSeconds = 0, round } = measurement;
  await traffic.open(contestant, plan);
  await wait(leadSeconds * 1000);
  const spentMs = () => (contestant.child === null ? null : cpuTimeMs(contestant.child.pid));
  const others = othersMs();
  const before = spentMs();
  const measured = await traffic.measure(seconds);
  const after = spentMs();
  const othersShare = Math.max(0, othersMs() - others) / (measured.seconds * 1000 * availableParallelism());
  await traffic.close();
  const { events, faults, p50Us, p99Us, maxUs } = measured;
  return {
    contestant: contestant.name,
    round,
    events,
    arrived: events / (duePerSecond(plan) * measured.seconds),
    cpuUs: before === null || after === null || events === 0 ? null : ((after - before) * 1000) / events,
    p50Ms: milliseconds(p50Us),
    p99Ms: milliseconds(p99Us),
    maxMs: milliseconds(maxUs),
    faults,
    othersShare,
  };
}

/** Everything that this process did not start. */
function othersMs(): number {
  return machineBusyMs() - cpuTimeMs(process.pid);
}

function milliseconds(us: number | null): number | null {
  return us === null ? null : us / 1000;
}
