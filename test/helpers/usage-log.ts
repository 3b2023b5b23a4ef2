import { readFile } from 'node:fs/promises';
import { systemClock } from '../../src/clock.ts';
import type { UsageLogCounters } from '../../src/usage-log/face.ts';
import { ConfiguredUsageLog, type UsageLogConfig } from '../../src/usage-log/usage-log.ts';
import { usageRecord } from './usage-record.ts';

export interface Said {
  level: 'info' | 'warn' | 'error';
  message: string;
}

/** A usage log on real files and a manual clock. `writeIds(1, 3)` writes the records r-1, r-2 and r-3. */
export function startLog(change: Partial<UsageLogConfig>) {
  const counters: UsageLogCounters = { written: 0, dropped: 0 };
  const said: Said[] = [];
  const stdout: string[] = [];
  const clock = { ms: 0, nowMs: () => clock.ms, epochMs: systemClock.epochMs };
  const say = (level: Said['level']) => (_fields: object, message: string) => said.push({ level, message });
  const config: UsageLogConfig = { path: null, rotate_bytes: 100_000_000, keep: 10, fsync: 'interval', ...change };
  const log = new ConfiguredUsageLog(config, {
    clock,
    counters,
    reporter: { info: say('info'), warn: say('warn'), error: say('error') },
    stdoutLine: (line) => stdout.push(line) < 3,
  });
  const writeIds = (from: number, to: number) => {
    for (const id of ids(from, to)) log.write(usageRecord({ id }));
  };
  const configure = (next: Partial<UsageLogConfig>) => log.configure({ ...config, ...next });
  return { log, counters, said, stdout, clock, writeIds, configure };
}

/** The lines of a log, each of which must be whole. */
export const parsed = (content: string) =>
  content
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

export const idsIn = async (path: string) => parsed(await readFile(path, 'utf8')).map((record) => record.id);

export const ids = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `r-${from + index}`);
