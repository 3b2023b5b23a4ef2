import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UsageRecord } from '../../src/meter/record.ts';
import { ClickHouse, hasClickHouse } from '../helpers/clickhouse.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { usageRecord } from '../helpers/usage-record.ts';

if (!hasClickHouse) process.stderr.write('SKIPPED: no clickhouse here; config/clickhouse is compared and not run\n');

const DAY = { from: '2026-01-02', to: '2026-01-03' };
const RECORDS: readonly UsageRecord[] = [
  usageRecord({ id: 'r-1', input_tokens: 300, cached_input_tokens: 100, output_tokens: 1_000 }),
  usageRecord({ id: 'r-2', usage_source: 'estimated', outcome: 'client_aborted', output_tokens: 250 }),
  usageRecord({ id: 'r-3', user: 'zoë; "q"', model: 'no-price', output_tokens: 7, slo: { ttft: true, all: false } }),
  usageRecord({ id: 'r-4', user: null, model: null, input_tokens: null, output_tokens: null, usage_source: 'none' }),
  usageRecord({ id: 'r-5', time: '2026-01-02T23:59:59.999Z', input_tokens: 0, output_tokens: 0 }),
  usageRecord({ id: 'r-6', time: '2026-01-03T00:00:00.000Z', output_tokens: 1e6 }),
];

describe.skipIf(!hasClickHouse)('the ClickHouse queries, run', () => {
  let clickhouse: ClickHouse;
  let folder: Awaited<ReturnType<typeof tempDir>>;
  beforeAll(async () => {
    folder = await tempDir();
    clickhouse = new ClickHouse(folder.path);
    const lines = RECORDS.map((record) => `${JSON.stringify(record)}\n`);
    clickhouse.insert(lines.join(''));
    // As a shipper does that was stopped before it had noted what it had delivered.
    clickhouse.insert(lines.slice(0, 3).join(''));
    clickhouse.run(
      "INSERT INTO pitot.reference_prices VALUES ('tiny', '2025-01-01', 9, 9, 9), ('tiny', '2026-01-01', 1, 0.1, 2), ('tiny', '2026-02-01', 9, 9, 9)",
    );
  }, 60_000);
  afterAll(() => folder?.[Symbol.asyncDispose]());

  it('add up what each user used, each record once, and what is unknown is no 0', () => {
    expect(clickhouse.ask('by-user', DAY)).toEqual([
      {
        who: 'ada',
        requests: 3,
        input: 312,
        cached_input: 100,
        output: 1_250,
        output_not_complete: 250,
        estimated_percent: 20,
      },
      {
        who: 'zoë; "q"',
        requests: 1,
        input: 12,
        cached_input: null,
        output: 7,
        output_not_complete: 0,
        estimated_percent: 0,
      },
      {
        who: '(unknown)',
        requests: 1,
        input: null,
        cached_input: null,
        output: null,
        output_not_complete: null,
        estimated_percent: null,
      },
    ]);
  });

  it('name models with the upstream that served them', () => {
    expect(clickhouse.ask('by-model', DAY)).toMatchObject([
      { served_by: 'default', which: 'tiny', requests: 3, users: 1, output: 1_250, reasoning: null },
      { which: 'no-price', output: 7 },
      { which: '(unknown)', users: 0, output: null },
    ]);
  });

  it('part days in UTC, the last one left out', () => {
    expect(clickhouse.ask('by-day', DAY)).toEqual([
      {
        day: '2026-01-02',
        requests: 5,
        users: 2,
        input: 324,
        output: 1_257,
        complete_percent: 80,
        wasted_percent: 19.89,
      },
    ]);
    expect(clickhouse.ask('by-day', { from: '2026-01-02', to: '2026-01-04' })).toHaveLength(2);
  });

  it('price tokens as Pitot does, at the price of their day, and keep apart what has none', () => {
    const dollars = (200 * 1 + 100 * 0.1 + 12 * 1 + 1_250 * 2) / 1e6;
    expect(clickhouse.ask('reference-cost', DAY)).toEqual([
      {
        who: 'ada',
        which: 'tiny',
        input_uncached: 212,
        input_cached: 100,
        output: 1_250,
        dollars,
        unpriced_tokens: 0,
      },
      {
        who: 'zoë; "q"',
        which: 'no-price',
        input_uncached: 12,
        input_cached: 0,
        output: 7,
        dollars: null,
        unpriced_tokens: 19,
      },
    ]);
  });

  it('tell how much is an estimate', () => {
    expect(clickhouse.ask('estimated-share', DAY)).toMatchObject([
      { which: '(unknown)', usage_source: 'none', output: null, percent_of_output: null },
      { which: 'no-price', usage_source: 'reported', percent_of_output: 100 },
      { which: 'tiny', usage_source: 'estimated', output: 250, percent_of_output: 20 },
      { which: 'tiny', usage_source: 'reported', output: 1_000, percent_of_output: 80 },
    ]);
  });
});
