import { describe, expect, it } from 'vitest';
import type { UsageRecord } from '../../../src/meter/record.ts';
import type { GroupKey } from '../../../src/usage-report/group-keys.ts';
import { ReportBuilder } from '../../../src/usage-report/report.ts';
import { reportTable } from '../../../src/usage-report/report-table.ts';
import { tableLines } from '../../../src/usage-report/table.ts';
import { usageRecord } from '../../helpers/usage-record.ts';

function tableOf(records: readonly Partial<UsageRecord>[], by: readonly GroupKey[] = []): string {
  const builder = new ReportBuilder(by);
  for (const record of records) builder.line(JSON.stringify(usageRecord(record)));
  return reportTable(builder.report());
}

describe('the table of usage', () => {
  it('stands in columns, the sum under a rule', () => {
    const records = [
      ...Array.from({ length: 1_500 }, () => ({ user: 'ada', model: 'llama', cached_input_tokens: 2 })),
      { user: 'bob', model: null, outcome: 'client_aborted', usage_source: 'partial' } as const,
    ];
    expect(`\n${tableOf(records, ['user', 'model'])}`).toMatchInlineSnapshot(`
      "
      user   model  requests   input  cached  output  partial  tok/s p50  tok/s p10  TTFT p95  first (UTC)       last (UTC)        not complete
      ada    llama     1,500  18,000   3,000  51,000        –       50.0       50.0    100 ms  2026-01-02 03:04  2026-01-02 03:04  –
      bob    –             1      12       –      34        1       50.0       50.0    100 ms  2026-01-02 03:04  2026-01-02 03:04  client_aborted 100.0%
      ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
      total            1,501  18,012   3,000  51,034        1       50.0       50.0    100 ms  2026-01-02 03:04  2026-01-02 03:04  client_aborted <0.1%

      <0.1% of the output tokens are running counts of answers that were cut.
      "
    `);
  });

  it('without groups is one row', () => {
    expect(tableOf([{}]).split('\n')).toHaveLength(3);
  });

  it('is empty where there is no record', () => {
    expect(tableOf([], ['user'])).toBe('');
  });

  it('leaves columns out in which nothing stands', () => {
    const [head] = tableOf([{}]).split('\n');
    expect(head).not.toMatch(/cached|reasoning|partial|estimated|uncounted|not complete/);
    const [full] = tableOf([{ cached_input_tokens: 0, reasoning_tokens: 3 }]).split('\n');
    expect(full).toMatch(/cached .*reasoning/);
  });

  it('says the day of which clock', () => {
    const [head, row] = tableOf([{}], ['day']).split('\n');
    expect(head).toMatch(/^day \(UTC\) .*first \(UTC\) +last \(UTC\)$/);
    expect(row).toMatch(/^2026-01-02 .* 2026-01-02 03:04 /);
  });

  it('shows how requests ended that did not end well, the usual first', () => {
    const outcomes = ['complete', 'truncated', 'client_aborted', 'client_aborted'] as const;
    expect(tableOf(outcomes.map((outcome) => ({ outcome })))).toContain('75.0%: client_aborted 50.0%, truncated 25.0%');
    const one = Array.from({ length: 5_000 }, (_, index) => (index === 0 ? { outcome: 'truncated' as const } : {}));
    expect(tableOf(one)).toContain('truncated <0.1%');
  });

  it('says beside the sums what they lack', () => {
    const table = tableOf([
      { output_tokens: 75 },
      { output_tokens: 25, usage_source: 'estimated', input_tokens: null },
      { output_tokens: null, usage_source: 'none' },
    ]);
    expect(table).toContain('25.0% of the output tokens are estimated.');
    expect(table).toContain('Requests whose output nobody counted: 1.');
    expect(table).toContain('Requests whose input nobody counted: 1.');
    expect(tableOf([{}])).not.toContain('nobody');
  });

  it('gives no name of a client the power over a terminal', () => {
    const table = tableOf([{ user: 'eve\u001b[2J\r\n\u202e\u2028' }], ['user']);
    expect(table).toContain('eve\\u{1b}[2J\\u{d}\\u{a}\\u{202e}\\u{2028}');
    for (const raw of ['\u001b', '\r', '\u202e', '\u2028']) expect(table).not.toContain(raw);
  });

  it('cuts long names, and only there', () => {
    expect(tableOf([{ model: 'm'.repeat(60) }], ['model'])).toContain(`\n${'m'.repeat(39)}…  `);
  });
});

describe('alignment', () => {
  it('counts characters that a terminal draws over two columns, or over none', () => {
    const cells = ['山田', 'ab', 'e\u0301', '🌍'];
    const lines = tableLines(
      [
        { title: 'name', align: 'left', cells },
        { title: 'n', align: 'right', cells: cells.map(() => '1') },
      ],
      false,
    );
    expect(lines).toEqual(['name  n', '山田  1', 'ab    1', 'e\u0301     1', '🌍    1']);
  });
});
