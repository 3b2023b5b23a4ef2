import type { UsageLine } from './usage-line.ts';

/** What records can be grouped by, as `--by` names it. */
export const GROUP_KEYS = ['user', 'model', 'upstream', 'workload', 'day'] as const;
export type GroupKey = (typeof GROUP_KEYS)[number];

/** Null: the record does not say. The day is that of its end, in UTC, whatever the clock of this machine shows. */
export function groupValue(line: UsageLine, key: GroupKey): string | null {
  return key === 'day' ? line.time.slice(0, 'YYYY-MM-DD'.length) : line[key];
}
