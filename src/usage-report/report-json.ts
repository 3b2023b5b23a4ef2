import { USAGE_SOURCES } from '../meter/record.ts';
import type { Report, Row } from './report.ts';
import type { Totals } from './totals.ts';

/** For machines: the same numbers, unrounded and with names whole. Unknown is null. */
export function reportJson({ by, rows, total }: Report): string {
  const report = {
    by,
    rows: rows.map((row) => ({ ...groupOf(row, by), ...figuresOf(row.totals) })),
    total: figuresOf(total),
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** `rest`: the row of all groups beyond the most that are kept apart. */
function groupOf({ values }: Row, by: Report['by']): Record<string, string | boolean | null> {
  if (values === null) return { rest: true };
  return Object.fromEntries(by.map((key, index) => [key, values[index] ?? null]));
}

function figuresOf(totals: Totals) {
  const { requests, outcomes, sources, tokens, uncounted, inputUnknown, speed, ttftMs, first, last } = totals;
  return {
    requests,
    outcomes,
    ...tokens,
    uncounted_requests: uncounted,
    input_unknown_requests: inputUnknown,
    usage_sources: Object.fromEntries(
      USAGE_SOURCES.map((name) => [
        name,
        { requests: sources[name].requests, output_tokens: sources[name].outputTokens },
      ]),
    ),
    user_speed_tokens_per_second: { p10: rounded(speed.at(0.1)), p50: rounded(speed.at(0.5)) },
    ttft_ms: { p95: rounded(ttftMs.at(0.95)) },
    first: first || null,
    last: last || null,
  };
}

/** Quantiles are known to half a percent; more digits would pretend. */
function rounded(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(4));
}
