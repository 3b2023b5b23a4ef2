import type { UsageRecord } from '../meter/record.ts';
import { AppendFile } from './append-file.ts';
import type { UsageLog, UsageLogParts } from './face.ts';
import { LineQueue, wholeLines } from './line-queue.ts';
import { rotate } from './rotation.ts';
import { Trouble } from './trouble.ts';

/** A record is in the file at most one second after its request ended (CONTRACT §8): five tries within it. */
const FLUSH_EVERY_MS = 200;
const SYNC_EVERY_MS = 1_000;
/** How long a failing disk is bridged. After that, what a failed try leaves queued is dropped and counted: loss shows at once. */
const BRIDGE_MS = 1_000;
/** After a failed rotation the file just grows; the next try comes this much later. */
const ROTATE_AGAIN_MS = 10_000;
const WRITE_BYTES = 256 * 1_024;
/** About 25,000 records: what a disk that hangs, and so does not fail, may pile up in memory. */
const QUEUE_BYTES = 32 * 1_024 * 1_024;

/** When what was appended is forced to the disk: after every batch, at most a second later, or when the system sees fit. */
export type SyncPolicy = 'always' | 'interval' | 'never';

export interface FileLogPolicy {
  readonly path: string;
  readonly rotateBytes: number;
  readonly keep: number;
  readonly fsync: SyncPolicy;
}

/**
 * Appends records to a file in batches, away from the relay; one flush runs at a time. A record is in
 * the file once or counted as dropped, about a second after its request ended at the latest.
 */
export class FileLog implements UsageLog {
  readonly #policy: FileLogPolicy;
  readonly #parts: UsageLogParts;
  readonly #file: AppendFile;
  readonly #queue = new LineQueue(QUEUE_BYTES);
  readonly #trouble: Trouble;
  #timer: NodeJS.Timeout | null = null;
  #flushing: Promise<void>;
  #isClosed = false;
  #syncing: Promise<void> = Promise.resolve();
  #hasUnsynced = false;
  #isSyncFailing = false;
  #syncedAtMs = Number.NEGATIVE_INFINITY;
  #noRotationBeforeMs = Number.NEGATIVE_INFINITY;

  constructor(policy: FileLogPolicy, parts: UsageLogParts) {
    this.#policy = policy;
    this.#parts = parts;
    this.#trouble = new Trouble(policy.path, parts);
    this.#file = new AppendFile(policy.path, (mend) =>
      parts.reporter.warn({ path: policy.path, mend }, 'the last line of the usage log had no end'),
    );
    // Opened now: a path that cannot be written is said at the start, not at the first request.
    this.#flushing = this.#flush();
  }

  write(record: Readonly<UsageRecord>): void {
    if (this.#isClosed) this.#trouble.drop(1);
    else if (!this.#queue.push(`${JSON.stringify(record)}\n`)) {
      this.#trouble.begin('the disk of the usage log does not keep up: records are dropped', null);
      this.#trouble.drop(1);
    }
    this.#arm();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#flushing;
    await this.#flush();
    await this.#syncing;
    if (this.#hasUnsynced) await this.#sync();
    this.#trouble.drop(this.#queue.clear());
    await this.#file.close().catch((error: unknown) => this.#trouble.begin('the usage log cannot be closed', error));
  }

  #arm(): void {
    const isIdle = this.#queue.length === 0 && !this.#hasUnsynced;
    if (this.#timer !== null || this.#isClosed || isIdle) return;
    this.#timer = setTimeout(() => {
      this.#flushing = this.#flushing
        .then(() => this.#flush())
        .then(() => {
          this.#timer = null;
          this.#arm();
        });
    }, FLUSH_EVERY_MS);
    this.#timer.unref();
  }

  /** Never rejects. */
  async #flush(): Promise<void> {
    try {
      await this.#file.ready();
      while (this.#queue.length > 0) await this.#appendBatch();
      this.#syncIfDue();
    } catch (error) {
      await this.#fail(error);
    }
  }

  async #appendBatch(): Promise<void> {
    const batch = this.#queue.peek(await this.#room());
    if (batch === null) return;
    const { written, error } = await this.#file.append(batch.bytes);
    const lines = wholeLines(batch, written);
    this.#queue.release(lines);
    this.#parts.counters.written += lines;
    this.#hasUnsynced ||= written > 0 && this.#policy.fsync !== 'never';
    if (error !== null) throw error;
    this.#trouble.end();
    if (this.#policy.fsync === 'always') await this.#sync();
  }

  /** How many bytes the next write may have: a full file is rotated first, so none outgrows `rotateBytes` but by a single record. */
  async #room(): Promise<number> {
    const size = await this.#file.ready();
    const left = this.#policy.rotateBytes - (size ?? 0);
    if (size === null || size === 0 || this.#queue.firstBytes <= left) return Math.min(WRITE_BYTES, Math.max(1, left));
    if (this.#parts.clock.nowMs() < this.#noRotationBeforeMs) return WRITE_BYTES;
    await this.#rotate();
    return this.#room();
  }

  async #rotate(): Promise<void> {
    if (this.#hasUnsynced) await this.#sync();
    await this.#file.close();
    try {
      await rotate(this.#policy.path, this.#policy.keep);
    } catch (error) {
      this.#noRotationBeforeMs = this.#parts.clock.nowMs() + ROTATE_AGAIN_MS;
      this.#parts.reporter.error({ err: error, path: this.#policy.path }, 'the usage log cannot be rotated: it grows');
    }
  }

  /** Not waited for: a disk that takes seconds to sync must not keep the next records from the file. */
  #syncIfDue(): void {
    if (!this.#hasUnsynced || this.#parts.clock.nowMs() - this.#syncedAtMs < SYNC_EVERY_MS) return;
    this.#syncing = this.#syncing.then(() => this.#sync());
  }

  /** Never rejects. A failure is said once, until a sync succeeds again. */
  async #sync(): Promise<void> {
    this.#syncedAtMs = this.#parts.clock.nowMs();
    this.#hasUnsynced = false;
    try {
      await this.#file.sync();
      this.#isSyncFailing = false;
    } catch (error) {
      if (!this.#isSyncFailing) {
        this.#parts.reporter.error(
          { err: error, path: this.#policy.path },
          'the usage log cannot be synced to its disk',
        );
      }
      this.#isSyncFailing = true;
    }
  }

  /** Closing the file makes the next try open it anew, and so mend a line that was cut short. */
  async #fail(error: unknown): Promise<void> {
    this.#trouble.begin('the usage log cannot be written: records are dropped until it can', error);
    this.#hasUnsynced = false;
    await this.#file.close().catch(() => undefined); // The cause has been said.
    if (this.#trouble.lastingMs() >= BRIDGE_MS) this.#trouble.drop(this.#queue.clear());
  }
}
