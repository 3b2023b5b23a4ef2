import { PATIENCE_MS } from './pace.ts';
import type { Told } from './protocol.ts';

/** What one worker told, in its own order. */
export interface Line {
  take(told: readonly Told[]): void;
  /** It will tell no more: what waits is handed on at once. */
  end(): void;
}

interface Waiting {
  /** Never before that of the one before it: a stamp may be a little older than its place in the order. */
  readonly atMs: number;
  readonly told: Told;
}

/**
 * Brings what several workers tell into the order in which it happened, as far as it came in time, so that
 * concurrency, phases and label caps are what one process would have seen. What one worker told is never
 * turned round, and what comes later than `PATIENCE_MS` waits for nothing.
 */
export class InOrder {
  readonly #nowMs: () => number;
  readonly #lines = new Set<OneLine>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  line(apply: (told: Told) => void): Line {
    const line = new OneLine(apply, () => this.#lines.delete(line));
    this.#lines.add(line);
    return line;
  }

  /** Hands on what is due. Milliseconds until more is; null when nothing waits. */
  apply(): number | null {
    const dueMs = this.#nowMs() - PATIENCE_MS;
    for (;;) {
      let next: OneLine | null = null;
      for (const line of this.#lines) if (line.headMs < (next?.headMs ?? Number.POSITIVE_INFINITY)) next = line;
      if (next === null) return null;
      if (next.headMs > dueMs) return next.headMs - dueMs;
      next.applyHead();
    }
  }
}

class OneLine implements Line {
  readonly #apply: (told: Told) => void;
  readonly #onEnd: () => void;
  readonly #waiting: Waiting[] = [];
  #head = 0;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(apply: (told: Told) => void, onEnd: () => void) {
    this.#apply = apply;
    this.#onEnd = onEnd;
  }

  /** When the first that waits happened. */
  get headMs(): number {
    return this.#waiting[this.#head]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  take(told: readonly Told[]): void {
    for (const one of told) {
      this.#lastMs = Math.max(this.#lastMs, one[1]);
      this.#waiting.push({ atMs: this.#lastMs, told: one });
    }
  }

  end(): void {
    while (this.#head < this.#waiting.length) this.applyHead();
    this.#onEnd();
  }

  applyHead(): void {
    const head = this.#waiting[this.#head];
    this.#head += 1;
    if (this.#head === this.#waiting.length) {
      this.#waiting.length = 0;
      this.#head = 0;
    }
    if (head !== undefined) this.#apply(head.told);
  }
}
