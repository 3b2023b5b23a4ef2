import type { Worker } from 'node:worker_threads';
import type { CountResult, Question, Reply } from './protocol.ts';

/** Loading an encoding takes a fraction of a second; a thread that has not managed by then never will. */
const LOAD_LIMIT_MS = 15_000;
/** A thread ends its count by itself when its budget is over; one that did not for this many budgets is stuck. */
const STUCK_BUDGETS = 10;
/** However small the budget: a busy machine may keep a sound thread waiting. */
const STUCK_AT_LEAST_MS = 500;

export interface ThreadEvents {
  /** An encoding was loaded for the question just asked. */
  onLoaded(): void;
  onCounted(result: CountResult | null): void;
  /** The thread has ended, by a fault, the watchdog or `stop`; told once, and nothing after it. */
  onGone(cause: Error | null): void;
}

/** One worker thread and its watchdog. It keeps the process alive only while it owes an answer. */
export class CountThread {
  readonly #worker: Worker;
  readonly #events: ThreadEvents;
  #watchdog: NodeJS.Timeout | undefined;
  #stuckMs = 0;
  #cause: Error | null = null;

  constructor(worker: Worker, events: ThreadEvents) {
    this.#worker = worker;
    this.#events = events;
    worker.unref();
    worker.on('message', (reply: Reply) => this.#hear(reply));
    worker.on('error', (error: unknown) => {
      this.#cause = error instanceof Error ? error : new Error(String(error));
    });
    worker.on('exit', () => {
      clearTimeout(this.#watchdog);
      events.onGone(this.#cause);
    });
  }

  /** Asks; the next question may come once this one is answered. */
  ask(question: Question): void {
    this.#stuckMs = Math.max(STUCK_AT_LEAST_MS, STUCK_BUDGETS * question.budgetMs);
    this.#watch(LOAD_LIMIT_MS);
    this.#worker.ref();
    this.#worker.postMessage(question);
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #hear(reply: Reply): void {
    if (this.#cause !== null) return;
    if (reply.kind === 'counting') {
      this.#watch(this.#stuckMs);
      if (reply.hasLoaded) this.#events.onLoaded();
      return;
    }
    clearTimeout(this.#watchdog);
    this.#worker.unref();
    this.#events.onCounted(reply.result);
  }

  #watch(ms: number): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => {
      this.#cause = new Error(`the counting thread did not answer for ${ms} ms`);
      void this.#worker.terminate();
    }, ms);
  }
}
