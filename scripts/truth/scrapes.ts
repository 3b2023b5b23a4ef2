import { setTimeout as wait } from 'node:timers/promises';
import { nowUs } from '../bench/event.ts';
import { Exposition } from '../soak/exposition.ts';
import type { MeasuredPitot } from './parties.ts';

const SECOND_US = 1e6;

/** One reading of `/metrics`, and when: in the middle between question and answer. */
export interface Scrape {
  readonly atUs: number;
  readonly tookUs: number;
  readonly exposition: Exposition;
}

export async function scrape(pitot: MeasuredPitot): Promise<Scrape> {
  const fromUs = nowUs();
  const text = await pitot.metrics();
  const toUs = nowUs();
  return { atUs: (fromUs + toUs) / 2, tookUs: toUs - fromUs, exposition: new Exposition(text) };
}

/**
 * One a second, in the middle of the machine's monotonic seconds. The gauges hold whole seconds of that clock, so
 * that it is beyond doubt which ones an answer speaks of.
 */
export async function scrapeEverySecond(pitot: MeasuredPitot, seconds: number): Promise<Scrape[]> {
  const scrapes: Scrape[] = [];
  for (let count = 0; count < seconds; count += 1) {
    const intoUs = nowUs() % SECOND_US;
    await wait((intoUs < SECOND_US / 2 ? SECOND_US / 2 - intoUs : 1.5 * SECOND_US - intoUs) / 1000);
    scrapes.push(await scrape(pitot));
  }
  return scrapes;
}

/** The whole seconds that a window of the gauge ends with. */
export function windowOf({ atUs }: Scrape, seconds: number): { fromUs: number; toUs: number } {
  const toUs = Math.floor(atUs / SECOND_US) * SECOND_US;
  return { fromUs: toUs - seconds * SECOND_US, toUs };
}

export function gauge({ exposition }: Scrape, window: string): number {
  return exposition.sum('pitot_throughput_tokens_per_second', { window, mode: 'effective' });
}

export function counted({ exposition }: Scrape): number {
  return exposition.sum('pitot_output_tokens_total');
}

export function inFlight({ exposition }: Scrape): number {
  return exposition.sum('pitot_requests_in_flight');
}

/** The mean of what a histogram took in between two scrapes, in its unit; null when it was nothing. */
export function meanBetween(metric: string, from: Scrape, to: Scrape): number | null {
  const grown = (name: string) => to.exposition.sum(name) - from.exposition.sum(name);
  const count = grown(`${metric}_count`);
  return count === 0 ? null : grown(`${metric}_sum`) / count;
}

/** A quantile of what a histogram took in between two scrapes, as Prometheus works it out: straight inside a bucket. */
export function quantileBetween(metric: string, { share, from, to }: { share: number; from: Scrape; to: Scrape }) {
  const bounds = to.exposition.sumBy(`${metric}_bucket`, ['le']);
  const before = from.exposition.sumBy(`${metric}_bucket`, ['le']);
  const rising = [...bounds].map(([le, count]) => ({
    le: Number(le.replace('+Inf', 'Infinity')),
    count: count - (before.get(le) ?? 0),
  }));
  rising.sort((a, b) => a.le - b.le);
  const wanted = share * (rising.at(-1)?.count ?? 0);
  const at = rising.findIndex(({ count }) => count >= wanted);
  const [bucket, below] = [rising[at], rising[at - 1] ?? { le: 0, count: 0 }];
  if (bucket === undefined || wanted === 0) return null;
  if (!Number.isFinite(bucket.le)) return below.le;
  return below.le + ((bucket.le - below.le) * (wanted - below.count)) / (bucket.count - below.count);
}
