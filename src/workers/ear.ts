import type { ProcessSeries } from '../metrics/process-series.ts';
import type { Listener } from './crew-member.ts';
import { InOrder, type Line } from './in-order.ts';
import { type Books, Replay } from './replay.ts';

export interface HearingParts {
  books: Books;
  nowMs: () => number;
  processes: ProcessSeries | null;
  instance: string;
  estimates: () => boolean;
  line: (text: string) => void;
  onFailed: (worker: number, sentence: string) => void;
}

/** What is heard of one process of a worker, until it is over. */
export interface Hearing {
  listener: Listener;
  /** Its process is over: what it had told is done, and how many requests were lost with it. */
  over(): number;
}

/** Hears what all workers tell, and keeps the books by it. */
export class Ear {
  readonly #parts: HearingParts;
  readonly #inOrder: InOrder;
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: HearingParts) {
    this.#parts = parts;
    this.#inOrder = new InOrder(parts.nowMs);
  }

  of(worker: number): Hearing {
    const { books, instance, estimates, nowMs, processes } = this.#parts;
    const replay = new Replay({ books, worker, instance, estimates });
    const line = this.#inOrder.line((told) => replay.apply(told));
    return {
      listener: this.#listener(worker, line),
      over: () => {
        line.end();
        const lost = replay.running;
        replay.died(nowMs());
        processes?.ended(String(worker));
        return lost;
      },
    };
  }

  #listener(worker: number, line: Line): Listener {
    return (message) => {
      switch (message.kind) {
        case 'told':
          line.take(message.told);
          this.#apply();
          return;
        case 'process':
          this.#parts.processes?.told(String(worker), message.families);
          return;
        case 'line':
          this.#parts.line(message.line);
          return;
        case 'failed':
          this.#parts.onFailed(worker, message.sentence);
          return;
        default:
          message satisfies never;
      }
    };
  }

  #apply(): void {
    if (this.#timer !== null) return;
    const waitMs = this.#inOrder.apply();
    if (waitMs === null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#apply();
    }, Math.ceil(waitMs));
  }
}
