import type { Clock } from '../clock.ts';
import type { UsageRecord } from '../meter/record.ts';

export interface UsageLog {
  /** Never throws, never waits. After `close` records are dropped. */
  write(record: Readonly<UsageRecord>): void;
  /** Writes what is queued; what cannot be written is counted as dropped. Never rejects. */
  close(): Promise<void>;
}

/** Records that reached the log, and records that did not: together all that were handed to it. Plain numbers, read at scrape time. */
export interface UsageLogCounters {
  written: number;
  dropped: number;
}

/** Where the log says how it fares; a pino logger fits. */
export interface UsageLogReporter {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface UsageLogParts {
  readonly clock: Clock;
  readonly reporter: UsageLogReporter;
  readonly counters: UsageLogCounters;
  /** Writes one line to standard output; false when its reader is too far behind and the line was dropped. */
  readonly stdoutLine: (line: string) => boolean;
}
