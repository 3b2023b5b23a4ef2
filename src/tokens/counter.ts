import type { Worker } from 'node:worker_threads';
import type { Clock } from '../clock.ts';
import { type CountJob, CountQueue, sizeOf } from './count-queue.ts';
import { CountThread } from './count-thread.ts';
import type { CountRequest, CountResult } from './protocol.ts';
import { RestartBudget } from './restart-budget.ts';
import { startWorker } from './start-worker.ts';

/**
 * Counts tokens for what nobody reports, never on the thread that asks. `count` never throws; null
 * means that the budget, a bound of the queue, a fault or `close` ended it.
 */
export interface TokenCounter {
  count(request: CountRequest): Promise<CountResult | null>;
  close(): Promise<void>;
  /** What became of the requests so far. */
  readonly tally: Readonly<CounterTally>;
}

export interface CounterTally {
  counted: number;
  /** Refused by the queue's bounds, left after waiting too long, or still waiting at `close`. */
  dropped: number;
  /** The budget ended before the output was counted. */
  overBudget: number;
  /** Lost to a fault of the counting thread. */
  failed: number;
}

export interface TokenCounterOptions {
  /** Time for one request once its encoding is loaded (`estimate.budget_ms`), milliseconds. */
  budgetMs: number;
  clock: Clock;
  maxQueued?: number;
  maxQueuedBytes?: number;
  /** A counting thread ended unasked, or could not be started. */
  onFault?: (cause: Error | null) => void;
  /** For tests: what runs in the thread. */
  start?: () => Worker;
}

const MAX_QUEUED = 256;
const MAX_QUEUED_BYTES = 32 * 1_024 * 1_024;
/** Text beyond this is not countable in any sensible budget, and copying it would be felt on the asking thread. */
const MAX_REQUEST_BYTES = 4 * 1_024 * 1_024;
/** How many budgets a request waits behind others: a usage record is due within a second (CONTRACT §8). */
const PATIENCE_BUDGETS = 10;

export function createTokenCounter(options: TokenCounterOptions): TokenCounter {
  return new ThreadCounter(options);
}

class ThreadCounter implements TokenCounter {
  readonly tally: CounterTally = { counted: 0, dropped: 0, overBudget: 0, failed: 0 };
  readonly #options: TokenCounterOptions;
  readonly #queue: CountQueue;
  readonly #starts: RestartBudget;
  #thread: CountThread | null = null;
  #job: CountJob | null = null;
  /** When an encoding was last loaded: what waited for that was not impatient with the requests before it. */
  #loadedMs = 0;
  #isClosed = false;

  constructor(options: TokenCounterOptions) {
    this.#options = options;
    this.#queue = new CountQueue({
      jobs: options.maxQueued ?? MAX_QUEUED,
      bytes: options.maxQueuedBytes ?? MAX_QUEUED_BYTES,
    });
    this.#starts = new RestartBudget(options.clock);
  }

  count(request: CountRequest): Promise<CountResult | null> {
    if (this.#isClosed) return Promise.resolve(null);
    return new Promise((settle) => {
      const job = jobOf(request, { sinceMs: this.#options.clock.nowMs(), settle });
      if (job.bytes > MAX_REQUEST_BYTES || !this.#queue.push(job)) this.#lose(job, 'dropped');
      else this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#loseAll('dropped');
    await this.#thread?.stop();
  }

  /** Hands the next request to the thread, if it is free. */
  #next(): void {
    if (this.#job !== null || this.#isClosed) return;
    this.#job = this.#nextPatient();
    if (this.#job === null) return;
    this.#thread ??= this.#start();
    if (this.#thread === null) this.#loseAll('failed');
    else this.#thread.ask({ request: this.#job.request, budgetMs: this.#options.budgetMs });
  }

  #nextPatient(): CountJob | null {
    const { clock, budgetMs } = this.#options;
    for (let job = this.#queue.shift(); job !== null; job = this.#queue.shift()) {
      const waitedMs = clock.nowMs() - Math.max(job.sinceMs, this.#loadedMs);
      if (waitedMs <= PATIENCE_BUDGETS * budgetMs) return job;
      this.#lose(job, 'dropped');
    }
    return null;
  }

  #start(): CountThread | null {
    if (!this.#starts.take()) return null;
    const { clock, onFault, start = startWorker } = this.#options;
    try {
      return new CountThread(start(), {
        onLoaded: () => {
          this.#loadedMs = clock.nowMs();
        },
        onCounted: (result) => this.#counted(result),
        onGone: (cause) => this.#gone(cause),
      });
    } catch (error) {
      onFault?.(error instanceof Error ? error : new Error(String(error)));
      return null;
    }
  }

  #counted(result: CountResult | null): void {
    const job = this.#job;
    this.#job = null;
    if (job === null) return;
    this.tally[result === null ? 'overBudget' : 'counted'] += 1;
    job.settle(result);
    this.#next();
  }

  #gone(cause: Error | null): void {
    this.#thread = null;
    if (this.#isClosed) return;
    this.#options.onFault?.(cause);
    if (this.#job !== null) this.#lose(this.#job, 'failed');
    this.#job = null;
    this.#next();
  }

  #loseAll(how: 'dropped' | 'failed'): void {
    if (this.#job !== null) this.#lose(this.#job, how);
    this.#job = null;
    for (let job = this.#queue.shift(); job !== null; job = this.#queue.shift()) this.#lose(job, how);
  }

  #lose(job: CountJob, how: 'dropped' | 'failed'): void {
    this.tally[how] += 1;
    job.settle(null);
  }
}

/** A prompt too large to count is left out, so that the output still is counted. */
function jobOf(request: CountRequest, waiter: Pick<CountJob, 'sinceMs' | 'settle'>): CountJob {
  const size = sizeOf(request);
  const whole = size.output + size.input;
  return whole <= MAX_REQUEST_BYTES
    ? { ...waiter, request, bytes: whole }
    : { ...waiter, request: { ...request, input: null }, bytes: size.output };
}
