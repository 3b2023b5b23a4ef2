import type { Worker } from 'node:worker_threads';
import type { Clock } from '../clock.ts';
import { CountJob, MAX_REQUEST_BYTES } from './count-job.ts';
import { CountQueue } from './count-queue.ts';
import { CountThread } from './count-thread.ts';
import { type EncodingName, encodingOf } from './encoding.ts';
import type { CountRequest, CountResult } from './protocol.ts';
import { RestartBudget } from './restart-budget.ts';
import { startWorker } from './start-worker.ts';

/**
 * Counts tokens for what nobody reports, never on the thread that asks. `count` never throws; null
 * means that the budget, a bound of the queue, its due time, a fault or `close` ended it.
 */
export interface TokenCounter {
  /** CPU time for one request once its encoding is loaded (`estimate.budget_ms`), milliseconds. */
  budgetMs: number;
  /** A text of this model may have to be counted soon: its encoding is loaded, in the background. */
  prepare(model: string | null): void;
  count(request: CountRequest): Promise<CountResult | null>;
  close(): Promise<void>;
  /** What became of the requests so far. */
  readonly tally: Readonly<CounterTally>;
}

export interface CounterTally {
  counted: number;
  /** The budget ended when a fair part was counted. */
  extrapolated: number;
  /** Refused by the queue's bounds, or still waiting at `close`. */
  dropped: number;
  /** Not answered when the answer was due. */
  late: number;
  /** The budget ended before a fair part of the output was counted. */
  overBudget: number;
  /** Lost to a fault of the counting thread. */
  failed: number;
}

export interface TokenCounterOptions {
  budgetMs: number;
  clock: Clock;
  /** The longest that anybody waits for a count: 600 ms unless told otherwise. */
  answerWithinMs?: number;
  /** When a thread that counts and does not end is taken for stuck: 10 s unless told otherwise. */
  stuckAfterMs?: number;
  maxQueued?: number;
  maxQueuedBytes?: number;
  /** A counting thread ended unasked, or could not be started. */
  onFault?: (cause: Error | null) => void;
  /** For tests: what runs in the thread. */
  start?: () => Worker;
}

const MAX_QUEUED = 256;
const MAX_QUEUED_BYTES = 32 * 1_024 * 1_024;
/** A usage record is in its file a second after its request ended (CONTRACT §8), and the file is written every 200 ms. */
const ANSWER_WITHIN_MS = 600;
/** The part of that time which is left for the answer's way back when the thread comes to an end. */
const REPLY_SHARE = 0.1;
/** However busy the machine: a sound thread is not ended because others had the processor. */
const STUCK_AFTER_MS = 10_000;

export function createTokenCounter(options: TokenCounterOptions): TokenCounter {
  return new ThreadCounter(options);
}

class ThreadCounter implements TokenCounter {
  readonly tally: CounterTally = { counted: 0, extrapolated: 0, dropped: 0, late: 0, overBudget: 0, failed: 0 };
  budgetMs: number;
  readonly #options: TokenCounterOptions;
  readonly #answerWithinMs: number;
  readonly #queue: CountQueue;
  readonly #starts: RestartBudget;
  #thread: CountThread | null = null;
  #job: CountJob | null = null;
  /** Encodings that the thread was told to load, and the model that was prepared last. */
  readonly #prepared = new Set<EncodingName>();
  #preparedModel: string | null | undefined;
  #isClosed = false;

  constructor(options: TokenCounterOptions) {
    this.#options = options;
    this.budgetMs = options.budgetMs;
    this.#answerWithinMs = options.answerWithinMs ?? ANSWER_WITHIN_MS;
    this.#queue = new CountQueue({
      jobs: options.maxQueued ?? MAX_QUEUED,
      bytes: options.maxQueuedBytes ?? MAX_QUEUED_BYTES,
    });
    this.#starts = new RestartBudget(options.clock);
  }

  prepare(model: string | null): void {
    if (this.#isClosed || model === this.#preparedModel) return;
    this.#preparedModel = model;
    const { name } = encodingOf(model);
    if (this.#prepared.has(name)) return;
    this.#prepared.add(name);
    // Starting a thread takes milliseconds: not while the request that may need it waits to be sent.
    setImmediate(() => {
      if (!this.#isClosed) this.#running()?.load(name);
    });
  }

  count(request: CountRequest): Promise<CountResult | null> {
    if (this.#isClosed) return Promise.resolve(null);
    return new Promise((tell) => {
      const onDue = (late: CountJob) => {
        this.#queue.remove(late);
        this.#lose(late, 'late');
      };
      const job = new CountJob(request, { withinMs: this.#answerWithinMs, tell, onDue });
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
    this.#job = this.#queue.shift();
    if (this.#job === null) return;
    const { request, dueMs } = this.#job;
    const untilMs = dueMs - REPLY_SHARE * this.#answerWithinMs;
    const thread = this.#running();
    if (thread === null) this.#loseAll('failed');
    else thread.ask(request, { budgetMs: this.budgetMs, untilMs });
  }

  /** The thread, started when it is first needed; null where it cannot be, or was too often. */
  #running(): CountThread | null {
    if (this.#thread !== null) return this.#thread;
    if (!this.#starts.take()) return null;
    const { onFault, start = startWorker, stuckAfterMs = STUCK_AFTER_MS } = this.#options;
    try {
      this.#thread = new CountThread(start(), stuckAfterMs, {
        onCounted: (result) => this.#counted(result),
        onGone: (cause) => this.#gone(cause),
      });
    } catch (error) {
      onFault?.(error instanceof Error ? error : new Error(String(error)));
    }
    return this.#thread;
  }

  #counted(result: CountResult | null): void {
    const job = this.#job;
    this.#job = null;
    if (job?.settle(result)) this.tally[fateOf(result)] += 1;
    this.#next();
  }

  #gone(cause: Error | null): void {
    this.#thread = null;
    this.#prepared.clear();
    this.#preparedModel = undefined;
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

  #lose(job: CountJob, how: 'dropped' | 'late' | 'failed'): void {
    if (job.settle(null)) this.tally[how] += 1;
  }
}

function fateOf(result: CountResult | null): 'counted' | 'extrapolated' | 'overBudget' {
  if (result === null) return 'overBudget';
  return result.isExtrapolated ? 'extrapolated' : 'counted';
}
