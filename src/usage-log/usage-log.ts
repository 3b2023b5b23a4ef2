import type { UsageRecord } from '../meter/record.ts';
import type { UsageLog, UsageLogParts } from './face.ts';
import { FileLog, type FileLogPolicy } from './file-log.ts';
import type { SyncPolicy } from './syncing.ts';

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

/** One JSON line per finished request (CONTRACT §8), kept where the configuration says, which may change while it runs. */
export class ConfiguredUsageLog implements UsageLog {
  readonly #parts: UsageLogParts;
  /** Logs of paths that were left, until each is closed. */
  readonly #closing = new Map<string, Promise<void>>();
  #path: string | null;
  #log: UsageLog;

  constructor(config: UsageLogConfig, parts: UsageLogParts) {
    this.#parts = parts;
    this.#path = config.path;
    this.#log = this.#open(config);
  }

  write(record: Readonly<UsageRecord>): void {
    this.#log.write(record);
  }

  /** Takes effect for the next record. What waits for another path is still written there. */
  configure(config: UsageLogConfig): void {
    const { path } = config;
    if (path === this.#path) {
      if (path !== null && this.#log instanceof FileLog) this.#log.configure(policyOf(config, path));
      return;
    }
    this.#leave();
    this.#path = path;
    this.#log = this.#open(config);
  }

  async close(): Promise<void> {
    await Promise.all([this.#log.close(), ...this.#closing.values()]);
  }

  #open(config: UsageLogConfig): UsageLog {
    const { path } = config;
    if (path === null) return NO_LOG;
    if (path === '-') return new StdoutLog(this.#parts);
    // Two logs of one process must not be in one file together.
    return new FileLog(policyOf(config, path), this.#parts, this.#closing.get(path));
  }

  #leave(): void {
    const path = this.#path ?? '';
    const closed = this.#log.close().then(() => {
      if (this.#closing.get(path) === closed) this.#closing.delete(path);
    });
    this.#closing.set(path, closed);
  }
}

function policyOf(config: UsageLogConfig, path: string): FileLogPolicy {
  return { path, rotateBytes: config.rotate_bytes, keep: config.keep, fsync: config.fsync };
}

const NO_LOG: UsageLog = { write: () => {}, close: async () => {} };

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
