import type { UsageRecord } from '../meter/record.ts';
import { AppendFile } from './append-file.ts';
import type { UsageLog, UsageLogParts } from './face.ts';
import { LineQueue, wholeLines } from './line-queue.ts';
import { rotate } from './rotation.ts';
import { Syncing, type SyncPolicy } from './syncing.ts';
import { Trouble } from './trouble.ts';

/** A record is in the file at most one second after its request ended (CONTRACT §8): five tries within it. */
const FLUSH_EVERY_MS = 200;
/** How long a failing disk is bridged. After that, what a failed try leaves queued is dropped and counted: loss shows at once. */
const BRIDGE_MS = 1_000;
/** After a failed rotation the file just grows; the next try comes this much later. */
const ROTATE_AGAIN_MS = 10_000;
const WRITE_BYTES = 256 * 1_024;
/** What a pipe takes whole or not at all (`PIPE_BUF` of pipe(7)): few records are longer. */
const PIPE_WRITE_BYTES = 4_096;
/** About 25,000 records: what a disk that hangs, and so does not fail, may pile up in memory. */
const QUEUE_BYTES = 32 * 1_024 * 1_024;

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
  readonly #parts: UsageLogParts;
  readonly #file: AppendFile;
  readonly #syncing: Syncing;
  readonly #queue = new LineQueue(QUEUE_BYTES);
  readonly #trouble: Trouble;
  #policy: FileLogPolicy;
  #timer: NodeJS.Timeout | null = null;
  #flushing: Promise<void>;
  #isClosed = false;
  #isShared = false;
  #noRotationBeforeMs = Number.NEGATIVE_INFINITY;

  /** Nothing is opened before `after`: there the file may still be another log's. */
  constructor(policy: FileLogPolicy, parts: UsageLogParts, after: Promise<void> = Promise.resolve()) {
    const { path, fsync } = policy;
    this.#policy = policy;
    this.#parts = parts;
    this.#trouble = new Trouble(path, parts);
    this.#file = new AppendFile(path, {
      onMend: (mend) => parts.reporter.warn({ path, mend }, 'the last line of the usage log had no end'),
      onForeignGrowth: () => this.#shared(),
      onMoved: () => this.#syncing.all(),
    });
    this.#syncing = new Syncing(this.#file, path, { policy: fsync, parts });
    // Opened now: a path that cannot be written is said at the start, not at the first request.
    this.#flushing = after.then(() => this.#flush());
  }

  /** Another policy for the same path. */
  configure(policy: FileLogPolicy): void {
    this.#policy = policy;
    this.#syncing.policy = policy.fsync;
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
    await this.#syncing.all();
    this.#trouble.drop(this.#queue.clear());
    this.#trouble.close();
    await this.#file.close().catch((error: unknown) => this.#trouble.begin('the usage log cannot be closed', error));
  }

  #arm(): void {
    const isIdle = this.#queue.length === 0 && !this.#syncing.isDue;
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
      this.#syncing.flushed();
    } catch (error) {
      // The reader of a pipe is slow: what waits for it stays queued, and the queue is bounded.
      if (!isFull(error)) await this.#fail(error);
    }
  }

  async #appendBatch(): Promise<void> {
    const batch = this.#queue.peek(await this.#room());
    if (batch === null) return;
    const { written, error } = await this.#file.append(batch.bytes);
    const lines = wholeLines(batch, written);
    this.#queue.release(lines);
    this.#parts.counters.written += lines;
    if (error !== null) throw error;
    this.#trouble.end();
    await this.#syncing.appended();
  }

  /** How many bytes the next write may have: a full file is rotated first, so none outgrows `rotateBytes` but by a single record. */
  async #room(): Promise<number> {
    const size = await this.#file.ready();
    if (size === null) return PIPE_WRITE_BYTES;
    const left = this.#policy.rotateBytes - size;
    if (size === 0 || this.#queue.firstBytes <= left) return Math.min(WRITE_BYTES, Math.max(1, left));
    if (this.#parts.clock.nowMs() < this.#noRotationBeforeMs) return WRITE_BYTES;
    await this.#rotate();
    return this.#room();
  }

  async #rotate(): Promise<void> {
    await this.#syncing.all();
    // Syncing may take long, and somebody else may have rotated meanwhile.
    if (await this.#file.isMoved()) return;
    await this.#file.close();
    try {
      await rotate(this.#policy.path, this.#policy.keep);
    } catch (error) {
      this.#noRotationBeforeMs = this.#parts.clock.nowMs() + ROTATE_AGAIN_MS;
      this.#parts.reporter.error({ err: error, path: this.#policy.path }, 'the usage log cannot be rotated: it grows');
    }
  }

  /** Lines stay whole, but two that rotate one file may keep less of it than they should. Said once. */
  #shared(): void {
    if (this.#isShared) return;
    this.#isShared = true;
    const fields = { path: this.#policy.path };
    this.#parts.reporter.error(fields, 'another process writes to the usage log: each Pitot needs a file of its own');
  }

  /** Closing the file makes the next try open it anew, and so mend a line that was cut short. */
  async #fail(error: unknown): Promise<void> {
    this.#trouble.begin('the usage log cannot be written: records are dropped until it can', error);
    await this.#syncing.all();
    await this.#file.close().catch(() => undefined); // The cause has been said.
    if (this.#trouble.lastingMs() >= BRIDGE_MS) this.#trouble.drop(this.#queue.clear());
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}
