import { setTimeout as wait } from 'node:timers/promises';
import { PLAIN } from './cases.ts';
import type { MeasuredPitot, Parties } from './parties.ts';
import { counted, scrape } from './scrapes.ts';

/** A process whose threads use this much of a core, or more, relays as much as it can. */
const SATURATED = 0.95;
/** An upstream that writes later than this, twice in a row, has no core left to write with: the machine is what is saturated. */
const LATE_US = 100_000;
const LATE_STEPS = 2;
/** The users of the first step; each next one has so many times more. */
const FIRST_USERS = 200;
const GROWTH = 1.25;
const MOST_USERS = 2_000;
const SETTLE_MS = 2_500;
const MEASURE_MS = 2_000;

export interface Saturation {
  readonly users: number;
  readonly tokensPerSecond: number;
}

/** Adds users until one worker has used up its core, or the machine its cores: then what it did before that. */
export async function findSaturation(
  pitot: MeasuredPitot,
  parties: Parties,
  say: (line: string) => void,
): Promise<Saturation> {
  let reached: Saturation = { users: 0, tokensPerSecond: 0 };
  let open = 0;
  let late = 0;
  for (let users = FIRST_USERS; users <= MOST_USERS; users = Math.round(users * GROWTH)) {
    const step = await measureStep(pitot, parties, { more: users - open, users });
    open = users;
    const share = Math.round(step.share * 100);
    say(
      `${users} users: ${Math.round(step.tokensPerSecond)} tokens/s, ${share} % of a core, upstream late ${step.lateUs / 1000} ms`,
    );
    late = step.lateUs > LATE_US ? late + 1 : 0;
    if (late === 0) reached = { users, tokensPerSecond: step.tokensPerSecond };
    if (late === LATE_STEPS || step.share >= SATURATED) break;
  }
  await parties.clients({ kind: 'finish' });
  return reached;
}

async function measureStep(pitot: MeasuredPitot, parties: Parties, { more, users }: { more: number; users: number }) {
  const groups = [{ users: more, order: PLAIN, behaviour: { kind: 'reads' } as const }];
  await parties.clients({ kind: 'open', target: pitot.data, name: `step-${users}`, groups });
  await wait(SETTLE_MS);
  await parties.truth({ spans: [], momentsUs: [] });
  const before = { cpuMs: pitot.cpuMs(), scrape: await scrape(pitot) };
  await wait(MEASURE_MS);
  const after = { cpuMs: pitot.cpuMs(), scrape: await scrape(pitot) };
  const seconds = (after.scrape.atUs - before.scrape.atUs) / 1e6;
  const { lateP99Us } = await parties.truth({ spans: [], momentsUs: [] });
  return {
    tokensPerSecond: (counted(after.scrape) - counted(before.scrape)) / seconds,
    share: (after.cpuMs - before.cpuMs) / 1000 / seconds,
    lateUs: lateP99Us ?? 0,
  };
}
