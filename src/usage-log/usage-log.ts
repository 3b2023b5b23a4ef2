import type { UsageRecord } from '../meter/record.ts';
import type { UsageLog, UsageLogParts } from './face.ts';
import { FileLog, type SyncPolicy } from './file-log.ts';

/** `usage_log` of the configuration, as loaded: sizes in bytes. */
export interface UsageLogConfig {
  /** null: no usage log. "-": standard output. */
  readonly path: string | null;
  /** At least 1. A file that would grow over this is rotated first. */
  readonly rotate_bytes: number;
  /** Rotated files kept; `path.1` is the newest. 0: a full file is deleted. */
  readonly keep: number;
  readonly fsync: SyncPolicy;
}

/** One JSON line per finished request (CONTRACT §8), kept where the configuration says. */
export function createUsageLog(config: UsageLogConfig, parts: UsageLogParts): UsageLog {
  if (config.path === null) return { write: () => {}, close: async () => {} };
  if (config.path === '-') return new StdoutLog(parts);
  const policy = { path: config.path, rotateBytes: config.rotate_bytes, keep: config.keep, fsync: config.fsync };
  return new FileLog(policy, parts);
}

class StdoutLog implements UsageLog {
  readonly #parts: UsageLogParts;
  #isClosed = false;

  constructor(parts: UsageLogParts) {
    this.#parts = parts;
  }

  write(record: Readonly<UsageRecord>): void {
    const isWritten = !this.#isClosed && this.#parts.stdoutLine(JSON.stringify(record));
    this.#parts.counters[isWritten ? 'written' : 'dropped'] += 1;
  }

  /** Standard output is flushed by its owner. */
  async close(): Promise<void> {
    this.#isClosed = true;
  }
}
