import type { Seen } from './client.ts';
import type { Exposition } from './exposition.ts';
import type { Plan } from './plan.ts';
import type { SoakRecord } from './records.ts';

/** One promise, and what was found of it. */
export interface Verdict {
  readonly rule: string;
  readonly holds: boolean;
  readonly found: string;
}

/** What all requests so far came to, as the usage log has it. */
export class Books {
  records = 0;
  readonly outcomes = new Map<string, number>();
  readonly sources = new Map<string, number>();
  /** Output tokens by upstream and model, as the labels of the metrics have them. */
  readonly outputTokens = new Map<string, number>();
  inputTokens = 0;
  /** Requests that were sent and have no record yet. */
  readonly #owed = new Map<string, Seen>();
  readonly #ids = new Set<string>();
  readonly #faults: string[] = [];

  sent(seen: Seen): void {
    this.#owed.set(seen.plan.id, seen);
  }

  /** `told`: what the upstream said it generated for a request; null where it said nothing. */
  add(record: SoakRecord, told: number | null): void {
    this.records += 1;
    count(this.outcomes, record.outcome, 1);
    count(this.sources, record.usage_source, 1);
    const place = `${record.upstream ?? 'unknown'}/${record.model ?? 'unknown'}`;
    if ((record.output_tokens ?? 0) > 0) count(this.outputTokens, place, record.output_tokens ?? 0);
    this.inputTokens += record.input_tokens ?? 0;
    if (this.#ids.has(record.id)) this.#fault(`two records with the id ${record.id}`);
    this.#ids.add(record.id);
    const seen = this.#owed.get(record.request_id);
    if (seen === undefined) this.#fault(`a record of ${record.request_id}, which nobody sent, or which has one`);
    else this.#compare(record, seen, told);
    this.#owed.delete(record.request_id);
  }

  /** What did not agree since the run began, and what has no record. */
  verdicts(): Verdict[] {
    const owed = [...this.#owed.values()].map(({ plan, status, ending }) => `${plan.id} (${status}, ${ending})`);
    return [
      verdict(
        'every request has one record',
        owed.length === 0,
        `${this.records} records, ${owed.length} missing ${shown(owed)}`,
      ),
      verdict(
        'records say what clients saw and upstreams told',
        this.#faults.length === 0,
        shown(this.#faults) || 'all do',
      ),
    ];
  }

  #compare(record: SoakRecord, { plan, status, ending }: Seen, told: number | null): void {
    if (ending !== 'left' && status !== 0 && record.status !== status)
      this.#fault(`${plan.id}: the client saw ${status}, the record says ${record.status}`);
    if (ending === 'whole' && isSound(plan, status) && record.outcome !== 'complete')
      this.#fault(`${plan.id}: answered whole, recorded as ${record.outcome}`);
    // Its upstream may have broken off in the same moment.
    if (
      ending === 'left' &&
      status === 200 &&
      !['client_aborted', 'complete', 'upstream_reset'].includes(record.outcome)
    )
      this.#fault(`${plan.id}: its client left, recorded as ${record.outcome}`);
    if (record.usage_source === 'reported' && told !== null && record.output_tokens !== told)
      this.#fault(`${plan.id}: ${told} tokens told, ${record.output_tokens} recorded`);
  }

  #fault(sentence: string): void {
    this.#faults.push(sentence);
  }
}

/** The upstream meant it well, and was reached. */
const isSound = (plan: Plan, status: number): boolean =>
  plan.fate === 'answer' && plan.route !== '/nowhere' && status === 200;

/** What the metrics say while nothing runs, against the records. */
export function settled(metrics: Exposition, books: Books): Verdict[] {
  const counted = metrics.sumBy('pitot_output_tokens_total', ['upstream', 'model']);
  for (const [place, withheld] of metrics.sumBy('pitot_withheld_tokens', ['upstream', 'model']))
    count(counted, place, -withheld);
  const tokens = [...new Set([...counted.keys(), ...books.outputTokens.keys()])].filter(
    (place) => (counted.get(place) ?? 0) !== (books.outputTokens.get(place) ?? 0),
  );
  const outcomes = metrics.sumBy('pitot_requests_total', ['outcome']);
  const odd = [...new Set([...outcomes.keys(), ...books.outcomes.keys()])]
    .filter((outcome) => outcomes.get(outcome) !== books.outcomes.get(outcome))
    .map(
      (outcome) => `${outcome}: ${outcomes.get(outcome) ?? 0} counted, ${books.outcomes.get(outcome) ?? 0} recorded`,
    );
  const total = [...books.outputTokens.values()].reduce((sum, value) => sum + value, 0);
  const differing = tokens.map(
    (place) => `${place}: ${counted.get(place) ?? 0} counted, ${books.outputTokens.get(place) ?? 0} recorded`,
  );
  const input = metrics.sum('pitot_input_tokens_total');
  const users = metrics.sum('pitot_user_output_tokens_total');
  const dropped = metrics.sum('pitot_usage_records_dropped_total');
  return [
    verdict(
      'counters less what is withheld are the sum of the records, for each model',
      tokens.length === 0,
      shown(differing) || `${total} output tokens`,
    ),
    verdict(
      'input counters are the sum of the records',
      input === books.inputTokens,
      `${input} counted, ${books.inputTokens} recorded`,
    ),
    verdict('tokens of users are those of the records', users === total, `${users} counted, ${total} recorded`),
    verdict('outcomes are counted as they are recorded', odd.length === 0, shown(odd) || mapText(outcomes)),
    verdict('no record was dropped', dropped === 0, `${dropped} dropped`),
    verdict('nothing is in flight', inFlight(metrics) === 0, `${inFlight(metrics)} in flight`),
    verdict(
      'metering never failed',
      metrics.sum('pitot_meter_degraded_total', { reason: 'meter_error' }) === 0,
      'meter_error',
    ),
    verdict('no name that nobody confirmed is a label', !hasUnconfirmed(metrics), 'models of refused requests'),
  ];
}

export const inFlight = (metrics: Exposition): number => metrics.sum('pitot_requests_in_flight');

const hasUnconfirmed = (metrics: Exposition): boolean =>
  metrics.of('pitot_output_tokens_total').some(({ labels }) => labels['model']?.startsWith('nobody'));

export const verdict = (rule: string, holds: boolean, found: string): Verdict => ({ rule, holds, found });

export const mapText = (map: ReadonlyMap<string, number>): string =>
  [...map].map(([key, value]) => `${key} ${value}`).join(', ');

function count(map: Map<string, number>, key: string, by: number): void {
  map.set(key, (map.get(key) ?? 0) + by);
}

const shown = (list: readonly string[]): string =>
  `${list.slice(0, 5).join('; ')}${list.length > 5 ? ` and ${list.length - 5} more` : ''}`;
