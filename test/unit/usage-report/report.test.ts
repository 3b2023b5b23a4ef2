import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OUTCOMES, USAGE_SOURCES, type UsageRecord } from '../../../src/meter/record.ts';
import { GROUP_KEYS, type GroupKey } from '../../../src/usage-report/group-keys.ts';
import { type Report, ReportBuilder } from '../../../src/usage-report/report.ts';
import { reportJson } from '../../../src/usage-report/report-json.ts';
import { usageRecord } from '../../helpers/usage-record.ts';

function reportOn(records: readonly Partial<UsageRecord>[], by: readonly GroupKey[] = [], maxGroups?: number): Report {
  const builder = new ReportBuilder(by, maxGroups);
  for (const record of records) expect(builder.line(JSON.stringify(usageRecord(record)))).toBeNull();
  return builder.report();
}

const valuesOf = ({ rows }: Report) => rows.map(({ values }) => values);

const tokens = fc.option(fc.nat(10_000));
const record = fc.record({
  time: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-02T23:59:59.999Z', '2025-12-31T12:00:00.000Z'),
  user: fc.option(fc.constantFrom('ada', 'bob', 'ada,bob')),
  model: fc.option(fc.constantFrom('m1', 'm2', '')),
  workload: fc.constantFrom('default', 'batch'),
  upstream: fc.option(fc.constantFrom('u1', 'u2')),
  outcome: fc.constantFrom(...OUTCOMES),
  usage_source: fc.constantFrom(...USAGE_SOURCES),
  input_tokens: tokens,
  cached_input_tokens: tokens,
  output_tokens: tokens,
  reasoning_tokens: tokens,
  ttft_ms: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })),
  user_speed_tokens_per_second: fc.option(fc.double({ min: 0.01, max: 1e4, noNaN: true })),
});

/** Every number of a sum that adds up, by its path. */
function additive(figures: unknown, path = ''): [string, number][] {
  if (typeof figures === 'number') return [[path, figures]];
  if (typeof figures !== 'object' || figures === null) return [];
  return Object.entries(figures)
    .filter(([key]) => !['user_speed_tokens_per_second', 'ttft_ms'].includes(key))
    .flatMap(([key, value]) => additive(value, `${path}.${key}`));
}

describe('the sum of usage records', () => {
  it('has rows that add up to its total, whatever they are grouped by', () => {
    fc.assert(
      fc.property(
        fc.array(record, { maxLength: 40 }),
        fc.subarray([...GROUP_KEYS], { minLength: 1 }),
        (records, by) => {
          const grouped = JSON.parse(reportJson(reportOn(records, by)));
          const whole = JSON.parse(reportJson(reportOn(records)));
          expect(grouped.total).toEqual(whole.total);
          const sums = new Map<string, number>();
          for (const [path, value] of grouped.rows.flatMap((row: object) => additive(row)))
            sums.set(path, (sums.get(path) ?? 0) + value);
          if (records.length > 0) expect(Object.fromEntries(sums)).toEqual(Object.fromEntries(additive(grouped.total)));
        },
      ),
    );
  });

  it('keeps unknown apart from 0', () => {
    const { total } = reportOn([{ reasoning_tokens: null, cached_input_tokens: 0 }]);
    expect(total.tokens).toMatchObject({ reasoning_tokens: null, cached_input_tokens: 0 });
  });

  it('groups by what records say, and keeps who says nothing apart from every name', () => {
    const records = [
      { user: null },
      { user: 'null' },
      { user: '' },
      { user: 'ada', model: 'b' },
      { user: 'ada', model: 'c' },
    ];
    expect(new Set(valuesOf(reportOn(records, ['user'])).map((values) => values?.[0]))).toEqual(
      new Set([null, 'null', '', 'ada']),
    );
    expect(valuesOf(reportOn(records, ['user', 'model']))).toHaveLength(5);
  });

  it('never mixes up groups whose names hold what could part them', () => {
    const records = [
      { user: 'a,b', model: 'c' },
      { user: 'a', model: 'b,c' },
      { user: 'a"', model: ',c' },
    ];
    expect(valuesOf(reportOn(records, ['user', 'model']))).toHaveLength(3);
  });

  it('puts who got most first, and days in their order', () => {
    const records = [
      { user: 'little', output_tokens: 1, time: '2026-01-01T23:59:59.999Z' },
      { user: 'much', output_tokens: 900, time: '2026-01-02T00:00:00.000Z' },
      { user: 'some', output_tokens: 90, time: '2026-01-01T00:00:00.000Z' },
    ];
    expect(valuesOf(reportOn(records, ['user']))).toEqual([['much'], ['some'], ['little']]);
    expect(valuesOf(reportOn(records, ['user', 'day']))).toEqual([
      ['some', '2026-01-01'],
      ['little', '2026-01-01'],
      ['much', '2026-01-02'],
    ]);
  });

  it('adds groups beyond the most it may hold to one row, which comes last', () => {
    const records = ['a', 'b', 'c', 'd', 'a'].map((user) => ({ user, output_tokens: 10 }));
    const report = reportOn(records, ['user'], 2);
    expect(valuesOf(report)).toEqual([['a'], ['b'], null]);
    expect(report.rows.map(({ totals }) => totals.requests)).toEqual([2, 1, 2]);
    expect(report.total.requests).toBe(5);
  });

  it('leaves the speed of requests whose client read slowly out', () => {
    const { total } = reportOn([
      { user_speed_tokens_per_second: 40, decode_ms: 1_000, client_blocked_ms: 50 },
      { user_speed_tokens_per_second: 5, decode_ms: 1_000, client_blocked_ms: 51 },
    ]);
    expect(total.speed.at(0)).toBe(40);
    expect(total.speed.at(1)).toBe(40);
  });

  it('counts as uncounted what had output without a count, and not what had none', () => {
    const none = { usage_source: 'none', output_tokens: null } as const;
    const { total } = reportOn([
      { ...none, outcome: 'complete', api: 'openai.chat' },
      { ...none, outcome: 'client_aborted', output_characters: 12 },
      { ...none, outcome: 'client_aborted', output_characters: null },
      { ...none, outcome: 'upstream_error', output_characters: null },
      { ...none, outcome: 'complete', api: 'other', output_characters: null },
    ]);
    expect(total.uncounted).toBe(2);
    expect(total.sources.none.requests).toBe(5);
  });

  it('knows the first and the last end', () => {
    const times = ['2026-01-02T00:00:00.000Z', '2026-01-01T00:00:00.500Z', '2026-01-01T12:00:00.000Z'];
    const { total } = reportOn(times.map((time) => ({ time })));
    expect([total.first, total.last]).toEqual(['2026-01-01T00:00:00.500Z', '2026-01-02T00:00:00.000Z']);
  });

  it('is for machines with every key, also where there is nothing', () => {
    expect(JSON.parse(reportJson(reportOn([], ['user'])))).toMatchObject({
      by: ['user'],
      rows: [],
      total: { requests: 0, output_tokens: null, first: null, ttft_ms: { p95: null } },
    });
    const [row] = JSON.parse(reportJson(reportOn([{ user: null }], ['user', 'day']))).rows;
    expect(row).toMatchObject({ user: null, day: '2026-01-02', requests: 1, output_tokens: 34 });
    expect(JSON.parse(reportJson(reportOn([{ user: 'a' }, { user: 'b' }], ['user'], 1))).rows[1]).toMatchObject({
      rest: true,
      requests: 1,
    });
  });
});
