import { PlanFault } from './fetch-json.ts';
import { type RecordedMetrics, type Series, secondsOf } from './prometheus-api.ts';

/** How the Pitots are scraped, as the samples of a gauge show it that each of them always has. */
export interface Scraping {
  /** Long enough that each of them has a rate in every step. */
  stepSeconds: number;
  /** Labels that the scraper adds: where the Pitot runs, not what it says (`pod`, `namespace`, …). */
  targetLabels: ReadonlySet<string>;
  /** Sentences on Pitots that are counted more than once. */
  notes: readonly string[];
}

/** A rate needs two samples; with four, it hardly has to go beyond the first and the last. */
export const SAMPLES_A_STEP = 4;
const SHORTEST_STEP_SECONDS = 5;
/** Of fewer gaps, as a Pitot has that was there for moments, none is the usual one. */
const LEAST_GAPS = 8;
/** Labels that `pitot_build_info` has by itself. */
const OWN_LABELS = new Set(['__name__', 'version', 'commit', 'node']);

/** Rejects with a PlanFault. */
export async function scrapingOf(api: RecordedMetrics): Promise<Scraping> {
  const pitots = await api.query('pitot_build_info[6h]');
  const gapsByPitot = pitots.map(gapsOf).filter((gaps) => gaps.length > 0);
  if (gapsByPitot.length === 0)
    throw new PlanFault(
      'this Prometheus has no samples of Pitot from the last 6 hours: does it scrape the admin port?',
    );
  const enough = gapsByPitot.filter((gaps) => gaps.length >= LEAST_GAPS);
  // Of the one that is scraped least often: shorter steps would lose what it counted, and say nothing of it.
  const longest = Math.max(...(enough.length > 0 ? enough : [gapsByPitot.flat()]).map(middle));
  return {
    stepSeconds: Math.max(SHORTEST_STEP_SECONDS, Math.ceil(SAMPLES_A_STEP * longest)),
    targetLabels: new Set(pitots.flatMap(({ labels }) => Object.keys(labels)).filter((name) => !OWN_LABELS.has(name))),
    notes: countedTwice(pitots),
  };
}

function gapsOf({ points }: Series): number[] {
  return points.slice(1).map(({ atSeconds }, index) => atSeconds - (points[index]?.atSeconds ?? atSeconds));
}

/** The upper one of two. */
export function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Pitots that two jobs scrape at the same time: their counters are in every sum as often. */
function countedTwice(pitots: readonly Series[]): string[] {
  const found = pitots.flatMap((one, index) =>
    pitots.slice(index + 1).flatMap((other) => {
      if (!isSameTarget(one.labels, other.labels) || !isAtSameTime(one, other)) return [];
      const jobs = [one, other].map(({ labels }) => labels['job']).sort();
      return `${one.labels['instance']} is scraped by two jobs, ${jobs.join(' and ')}: what it counted is in here twice`;
    }),
  );
  return [...new Set(found)];
}

/** Another job, the same address, and nothing that tells them apart in what both of them say of it. */
function isSameTarget(one: Series['labels'], other: Series['labels']): boolean {
  const shared = Object.keys(one).filter((name) => name !== 'job' && other[name] !== undefined);
  const isAlike = shared.every((name) => one[name] === other[name]);
  return one['job'] !== other['job'] && shared.includes('instance') && isAlike;
}

function isAtSameTime(one: Series, other: Series): boolean {
  return secondsOf(one, 0) < secondsOf(other, -1) && secondsOf(other, 0) < secondsOf(one, -1);
}
