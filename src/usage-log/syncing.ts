import type { AppendFile } from './append-file.ts';
import type { UsageLogParts } from './face.ts';

/** When what was appended is forced to the disk: after every batch, at most a second later, or when the system sees fit. */
export type SyncPolicy = 'always' | 'interval' | 'never';

const SYNC_EVERY_MS = 1_000;

/** Forces a file to its disk as the policy wants it. Nothing here rejects: a failure is said once, until a sync succeeds again. */
export class Syncing {
  policy: SyncPolicy;
  readonly #file: AppendFile;
  readonly #path: string;
  readonly #parts: UsageLogParts;
  #running: Promise<void> = Promise.resolve();
  #isFailing = false;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(file: AppendFile, path: string, options: { policy: SyncPolicy; parts: UsageLogParts }) {
    this.#file = file;
    this.#path = path;
    this.policy = options.policy;
    this.#parts = options.parts;
  }

  /** Something waits to be synced. */
  get isDue(): boolean {
    return this.policy !== 'never' && this.#file.isUnsynced;
  }

  /** After a batch. */
  async appended(): Promise<void> {
    if (this.policy === 'always') await this.now();
  }

  /** After a flush. Not waited for: a disk that takes seconds to sync must not keep the next records from the file. */
  flushed(): void {
    if (!this.isDue || this.#parts.clock.nowMs() - this.#lastMs < SYNC_EVERY_MS) return;
    this.#running = this.#running.then(() => this.now());
  }

  /** Everything appended so far, also what is being synced already. */
  async all(): Promise<void> {
    await this.#running;
    await this.now();
  }

  async now(): Promise<void> {
    if (!this.isDue) return;
    this.#lastMs = this.#parts.clock.nowMs();
    try {
      await this.#file.sync();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) {
        const fields = { err: error, path: this.#path };
        this.#parts.reporter.error(fields, 'the usage log cannot be synced to its disk');
      }
      this.#isFailing = true;
    }
  }
}
