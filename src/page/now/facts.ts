import type { Snapshot } from '../../live/snapshot-type.ts';
import { counted } from '../text/counted.ts';
import { dollars, percent, rate, whole } from '../text/format.ts';
import { duration } from '../text/time.ts';
import { type Flow, inFlightTotal, isAtRest, NO_TRAFFIC, noOutput, ofHowMany } from './headline.ts';

/** A figure with what is said beside it. */
export interface Fact {
  value: string;
  /** There is no figure: `value` says why. */
  isAbsent: boolean;
  note: string;
}

export function ttftFacts(snapshot: Flow & Pick<Snapshot, 'ttft'>): { p50: Fact; p95: Fact } {
  const { ttft } = snapshot;
  if (ttft === null) {
    const none = isAtRest(snapshot) ? absent(NO_TRAFFIC) : absent('None yet', 'no first token in the last minute');
    return { p50: none, p95: absent('') };
  }
  return { p50: fact(duration(ttft.p50_ms), 'p50'), p95: fact(duration(ttft.p95_ms), 'p95') };
}

/** Good ÷ judged over all workloads that have an SLO, by requests of the last minute. */
export function goodputFact({ goodput, ...flow }: Flow & Pick<Snapshot, 'goodput'>): Fact {
  if (goodput.length === 0) return absent('No SLO', 'none is configured');
  const judged = sum(goodput, ({ judged_requests_per_second: rated }) => rated);
  if (judged === 0) return absent(isAtRest(flow) ? NO_TRAFFIC : 'None yet', 'nothing was judged in the last minute');
  const good = sum(goodput, ({ requests_per_second: rated }) => rated);
  const tokens = sum(goodput, ({ tokens_per_second: rated }) => rated);
  return fact(percent(good / judged), `met every SLO: ${perSecond(good)} requests/s, ${rate(tokens)} tok/s`);
}

export function costFact({ cost, ...flow }: Flow & Pick<Snapshot, 'cost'>): Fact {
  if (cost === null) return absent('No price', 'gpu_price_per_hour is not configured');
  const { upstreams } = flow;
  const priced = upstreams.filter((upstream) => upstream.cost !== null).length;
  const perHour = `GPUs ${dollars(cost.gpu_dollars_per_hour)} an hour${ofHowMany(priced, upstreams.length)}`;
  const perMillion = cost.dollars_per_million_output_tokens;
  return perMillion === null ? absent(noOutput(flow), perHour) : fact(dollars(perMillion), perHour);
}

/** Only generations have phases and are counted here; what flows beside them is told in the note. */
export function inFlightFact(snapshot: Flow & Pick<Snapshot, 'requests_total'>): Fact {
  const total = inFlightTotal(snapshot);
  const done = `${whole(snapshot.requests_total)} done`;
  if (total > 0) return fact(whole(total), done);
  const others = sum(snapshot.upstreams, ({ in_flight: inFlight }) => inFlight);
  return others === 0 ? absent(NO_TRAFFIC, done) : absent('None', `${counted(others, 'other request')}, ${done}`);
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
