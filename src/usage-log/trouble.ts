import type { UsageLogParts } from './face.ts';

/**
 * A spell in which records cannot be written. It is said once when it begins and once when it ends,
 * with what it cost: a full disk must not fill the process log as well.
 */
export class Trouble {
  readonly #path: string;
  readonly #parts: UsageLogParts;
  #sinceMs: number | null = null;
  #dropped = 0;

  constructor(path: string, parts: UsageLogParts) {
    this.#path = path;
    this.#parts = parts;
  }

  /** How long the present spell has lasted, in milliseconds; 0 without one. */
  lastingMs(): number {
    return this.#sinceMs === null ? 0 : this.#parts.clock.nowMs() - this.#sinceMs;
  }

  begin(message: string, error: unknown): void {
    if (this.#sinceMs !== null) return;
    this.#sinceMs = this.#parts.clock.nowMs();
    this.#parts.reporter.error({ err: error, path: this.#path }, message);
  }

  drop(count: number): void {
    this.#parts.counters.dropped += count;
    this.#dropped += count;
  }

  end(): void {
    if (this.#sinceMs === null) return;
    this.#parts.reporter.warn({ path: this.#path, dropped: this.#dropped }, 'the usage log is written again');
    this.#sinceMs = null;
    this.#dropped = 0;
  }

  /** The log is closed, and what could not be written never will be. */
  close(): void {
    if (this.#dropped === 0) return;
    const fields = { path: this.#path, dropped: this.#dropped };
    this.#parts.reporter.error(fields, 'the usage log is closed, and records are missing in it');
    this.#dropped = 0;
  }
}
