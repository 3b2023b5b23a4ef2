import type { GoodputSnapshot, Snapshot } from '../../live/snapshot-type.ts';
import { dollars, percent, rate, whole } from '../text/format.ts';
import { duration } from '../text/time.ts';
import { inFlightTotal, NO_TRAFFIC } from './headline.ts';

/** A figure with what is said beside it. */
export interface Fact {
  value: string;
  /** There is no figure: `value` says why. */
  isAbsent: boolean;
  note: string;
}

export function ttftFacts({ ttft }: Pick<Snapshot, 'ttft'>): { p50: Fact; p95: Fact } {
  if (ttft === null) return { p50: absent(NO_TRAFFIC), p95: absent('') };
  return { p50: fact(duration(ttft.p50_ms), 'p50'), p95: fact(duration(ttft.p95_ms), 'p95') };
}

/** Good ÷ judged over all workloads that have an SLO, by requests of the last minute. */
export function goodputFact(goodput: readonly GoodputSnapshot[]): Fact {
  if (goodput.length === 0) return absent('No SLO', 'none is configured');
  const judged = sum(goodput, ({ judged_requests_per_second: rated }) => rated);
  if (judged === 0) return absent(NO_TRAFFIC, 'nothing was judged in the last minute');
  const good = sum(goodput, ({ requests_per_second: rated }) => rated);
  const tokens = sum(goodput, ({ tokens_per_second: rated }) => rated);
  return fact(percent(good / judged), `met every SLO: ${perSecond(good)} requests/s, ${rate(tokens)} tok/s`);
}

export function costFact({ cost }: Pick<Snapshot, 'cost'>): Fact {
  if (cost === null) return absent('No price', 'gpu_price_per_hour is not configured');
  const perHour = `GPUs ${dollars(cost.gpu_dollars_per_hour)} an hour`;
  const perMillion = cost.dollars_per_million_output_tokens;
  return perMillion === null ? absent(NO_TRAFFIC, perHour) : fact(dollars(perMillion), perHour);
}

export function inFlightFact(snapshot: Pick<Snapshot, 'in_flight' | 'requests_total'>): Fact {
  const total = inFlightTotal(snapshot);
  const done = `${whole(snapshot.requests_total)} done`;
  return total === 0 ? absent(NO_TRAFFIC, done) : fact(whole(total), done);
}

/** Requests are few where tokens are many: three figures are wanted below 10. */
function perSecond(value: number): string {
  return value < 9.995 ? value.toFixed(2) : rate(value);
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

function fact(value: string, note: string): Fact {
  return { value, isAbsent: false, note };
}

function absent(value: string, note = ''): Fact {
  return { value, isAbsent: true, note };
}
