import { sharedMs } from './count-budget.ts';
import type { CountRequest, CountResult } from './protocol.ts';
import { textsOf } from './read-input.ts';

/** Text beyond this is not countable in any sensible budget, and copying it would be felt on the asking thread. */
export const MAX_REQUEST_BYTES = 4 * 1_024 * 1_024;

export interface Waiter {
  /** How long the answer is waited for, milliseconds. */
  withinMs: number;
  tell(result: CountResult | null): void;
  /** The time is over and nobody was told yet. */
  onDue(job: CountJob): void;
}

/** One request to be counted, and the one who waits for it: told once. */
export class CountJob {
  readonly request: CountRequest;
  /** Memory of its texts, in bytes. */
  readonly bytes: number;
  /** When the answer is due, on the clock that all threads share, milliseconds. */
  readonly dueMs: number;
  readonly #waiter: Waiter;
  readonly #timer: NodeJS.Timeout;
  #isSettled = false;

  constructor(request: CountRequest, waiter: Waiter) {
    const size = sizeOf(request);
    // A prompt too large to count is left out, so that the output still is counted.
    const isWhole = size.output + size.input <= MAX_REQUEST_BYTES;
    this.request = isWhole ? request : { ...request, input: null };
    this.bytes = isWhole ? size.output + size.input : size.output;
    this.dueMs = sharedMs() + waiter.withinMs;
    this.#waiter = waiter;
    this.#timer = setTimeout(() => waiter.onDue(this), waiter.withinMs);
  }

  /** False when the one who waits was told before. */
  settle(result: CountResult | null): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#waiter.tell(result);
    return true;
  }
}

/** Memory that the texts of a request take at most: two bytes for a UTF-16 unit. */
function sizeOf({ output, input }: CountRequest): { output: number; input: number } {
  const bytes = (texts: readonly string[]) => texts.reduce((sum, text) => sum + 2 * text.length, 0);
  const ofOutput = bytes(output.map(({ text }) => text));
  if (input === null) return { output: ofOutput, input: 0 };
  return { output: ofOutput, input: 'json' in input ? input.json.byteLength : bytes(textsOf(input)) };
}
