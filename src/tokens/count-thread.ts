import type { Worker } from 'node:worker_threads';
import type { EncodingName } from './encoding.ts';
import type { CountRequest, CountResult, Question, Reply } from './protocol.ts';

/** Loading an encoding takes a tenth of a second of CPU; a thread that has not managed by then never will. */
const LOAD_LIMIT_MS = 15_000;

export interface ThreadEvents {
  onCounted(result: CountResult | null): void;
  /** The thread has ended, by a fault, the watchdog or `stop`; told once, and nothing after it. */
  onGone(cause: Error | null): void;
}

/** One worker thread and its watchdog. It keeps the process alive only while it owes an answer. */
export class CountThread {
  readonly #worker: Worker;
  readonly #events: ThreadEvents;
  readonly #stuckAfterMs: number;
  #watchdog: NodeJS.Timeout | undefined;
  #cause: Error | null = null;

  /** `stuckAfterMs`: a thread ends every count by itself; one that did not within this time never will. */
  constructor(worker: Worker, stuckAfterMs: number, events: ThreadEvents) {
    this.#worker = worker;
    this.#stuckAfterMs = stuckAfterMs;
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

  /** Loads an encoding before it is needed. The process need not wait for it. */
  load(encoding: EncodingName): void {
    this.#post({ kind: 'load', encoding });
  }

  /** Asks; the next question may come once this one is answered. */
  ask(request: CountRequest, limits: { budgetMs: number; untilMs: number }): void {
    this.#watch(LOAD_LIMIT_MS);
    this.#worker.ref();
    this.#post({ kind: 'count', request, limits });
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #post(question: Question): void {
    this.#worker.postMessage(question);
  }

  #hear(reply: Reply): void {
    if (this.#cause !== null) return;
    if (reply.kind === 'counting') {
      this.#watch(this.#stuckAfterMs);
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
