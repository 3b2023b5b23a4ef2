import { describe, expect, it } from 'vitest';
import type { Seen } from '../../../scripts/soak/client.ts';
import { Exposition } from '../../../scripts/soak/exposition.ts';
import { planned } from '../../../scripts/soak/plan.ts';
import type { SoakRecord } from '../../../scripts/soak/records.ts';
import { Books, settled } from '../../../scripts/soak/rules.ts';
import { seededRandom } from '../../../src/demo/random.ts';

const plan = (number: number) => ({ ...planned(number, seededRandom(1)), fate: 'answer' as const, route: '' as const });
const seen = (number: number, change: Partial<Seen> = {}): Seen => ({
  plan: plan(number),
  status: 200,
  ending: 'whole',
  ...change,
});
const record = (number: number, change: Partial<SoakRecord> = {}): SoakRecord => ({
  id: `r-${number}`,
  request_id: `soak-${number}`,
  upstream: 'main',
  model: 'm',
  status: 200,
  outcome: 'complete',
  usage_source: 'reported',
  input_tokens: 11,
  output_tokens: 4,
  ...change,
});

/** The rules that do not hold. */
const broken = (verdicts: readonly { rule: string; holds: boolean }[]) =>
  verdicts.filter(({ holds }) => !holds).map(({ rule }) => rule);

function booksOf(pairs: readonly [Seen, SoakRecord | null][], told: number | null = 4): Books {
  const books = new Books();
  for (const [one] of pairs) books.sent(one);
  for (const [, written] of pairs) if (written !== null) books.add(written, told);
  return books;
}

describe('what the soak finds', () => {
  it('is nothing where every request has its record', () => {
    expect(broken(booksOf([[seen(1), record(1)]]).verdicts())).toEqual([]);
  });

  it.each<[string, [Seen, SoakRecord | null][], number | null]>([
    ['a record that is missing', [[seen(1), null]], 4],
    [
      'two records of one request',
      [
        [seen(1), record(1)],
        [seen(2), record(1)],
      ],
      4,
    ],
    [
      'two records with one id',
      [
        [seen(1), record(1)],
        [seen(2), record(2, { id: 'r-1' })],
      ],
      4,
    ],
    ['a record of nobody', [[seen(1), record(9)]], 4],
    ['another status than the client saw', [[seen(1), record(1, { status: 502 })]], 4],
    ['a whole answer that is recorded as cut', [[seen(1), record(1, { outcome: 'truncated' })]], 4],
    [
      'a client that left, recorded as an error',
      [[seen(1, { ending: 'left' }), record(1, { outcome: 'upstream_error' })]],
      4,
    ],
    ['another count than the upstream told', [[seen(1), record(1)]], 5],
  ])('%s', (_what, pairs, told) => {
    expect(broken(booksOf(pairs, told).verdicts())).not.toEqual([]);
  });

  const metrics = (output: number, more = '') =>
    new Exposition(`# HELP x y
pitot_output_tokens_total{upstream="main",model="m",workload="a"} ${output}
pitot_withheld_tokens{upstream="main",model="m"} 1
pitot_input_tokens_total{upstream="main",model="m",workload="a",cache="unknown"} 11
pitot_user_output_tokens_total{user="u"} 4
pitot_requests_total{outcome="complete",status="200"} 1
pitot_requests_total{outcome="truncated",status="200"} 0
${more}`);
  const books = booksOf([[seen(1), record(1)]]);

  it('is nothing where counters less what is withheld are the records', () => {
    expect(broken(settled(metrics(5), books))).toEqual([]);
  });

  it.each([
    ['one token too many', metrics(6)],
    ['one token too few', metrics(4)],
    ['a request that runs', metrics(5, 'pitot_requests_in_flight{phase="decode"} 1')],
    ['a record that was dropped', metrics(5, 'pitot_usage_records_dropped_total 1')],
    ['an outcome that nobody recorded', metrics(5, 'pitot_requests_total{outcome="client_aborted"} 1')],
    ['a meter that failed', metrics(5, 'pitot_meter_degraded_total{reason="meter_error"} 1')],
    ['a label that a client made up', metrics(5, 'pitot_output_tokens_total{upstream="main",model="nobody-7"} 0')],
  ])('%s', (_what, exposition) => {
    expect(broken(settled(exposition, books))).toHaveLength(1);
  });
});
