import type { Readable } from 'node:stream';
import type { GroupKey } from '../usage-report/group-keys.ts';
import { type OpenedLogs, openLogs, UnreadableLog } from '../usage-report/log-file.ts';
import { ReportBuilder, type SkippedLines } from '../usage-report/report.ts';
import { reportJson } from '../usage-report/report-json.ts';
import { reportTable } from '../usage-report/report-table.ts';
import { SKIPPED, type Skipped } from '../usage-report/usage-line.ts';
import type { Output } from './check-config.ts';

const REASONS: Readonly<Record<Skipped, string>> = {
  torn: 'no whole JSON',
  foreign: 'no usage record',
  log: 'line of the process log',
};

export interface UsageCommand {
  files: readonly string[];
  by: readonly GroupKey[];
  isJson: boolean;
  stdin: Readable;
  stdout: Output;
  stderr: Output;
}

/** `pitot usage`: sums up usage logs. Exit code 0, or 1 where one cannot be read: then there is no sum, since half of one would pass for the whole. */
export async function usage({ files, by, isJson, stdin, stdout, stderr }: UsageCommand): Promise<number> {
  const builder = new ReportBuilder(by);
  try {
    const logs = await openLogs(files, stdin);
    for (const name of logs.repeated) stderr.write(`${name}: named before, and read once\n`);
    await readAll(logs, builder, stderr);
  } catch (error) {
    if (!(error instanceof UnreadableLog)) throw error;
    stderr.write(`${error.message}\n`);
    return 1;
  }
  const report = builder.report();
  if (report.total.requests === 0) stderr.write('there is no usage record in what was read\n');
  stdout.write(isJson ? reportJson(report) : reportTable(report));
  return 0;
}

async function readAll({ files }: OpenedLogs, builder: ReportBuilder, stderr: Output): Promise<void> {
  for (const file of files) {
    const sentence = sentenceOn(await builder.read(file));
    if (sentence !== null) stderr.write(`${file.name === '-' ? 'standard input' : file.name}: ${sentence}\n`);
  }
}

function sentenceOn({ lines, counts, first }: SkippedLines): string | null {
  const reasons = SKIPPED.filter((reason) => counts[reason] > 0).map(
    (reason) => `${REASONS[reason]}: ${counts[reason]}`,
  );
  if (reasons.length === 0) return null;
  const skipped = counts.torn + counts.foreign + counts.log;
  return `skipped ${skipped} of ${lines} lines, the first is line ${first} (${reasons.join('; ')})`;
}
