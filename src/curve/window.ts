import { type SeriesFigures, seriesIn } from './series-figures.ts';

/** Short enough that concurrency hardly changes in it, long enough to hold hundreds of engine steps. */
export const WINDOW_MS = 5_000;

/** Of the time in flight in a window, what slow clients and uncounted answers may take before it says nothing (as CONTRACT §6.10 has it for a request). */
const HIDDEN_SHARE = 0.05;
/** The same for generations that came to nothing: a hanging or failing server is no operating point. Some always give up in a queue. */
const FRUITLESS_SHARE = 0.5;

/** A concurrency is near another up to this factor, and a window steady in which it is near its mean for this share of the time. */
const NEAR = 2;
const STEADY_SHARE = 0.9;
/** Whether it is, is looked at in such steps: a window stays open while a request that overlaps it runs, an hour maybe, and must not grow with all that come and go meanwhile. */
const STEP_MS = 10;
const STEPS = WINDOW_MS / STEP_MS;

/** A window that is over, as it goes into the curve. */
export interface ClosedWindow {
  /** When it began, in monotonic milliseconds. */
  fromMs: number;
  /** Mean generations in flight on the upstream, of all models and workloads. */
  concurrency: number;
  /** Output tokens per second, of all of them together. */
  tokensPerSecond: number;
  series: Iterable<SeriesFigures>;
}

/** Five seconds of one upstream, while requests that overlap them may still end and be told of. Everything in it adds up, in any order. */
export class OpenWindow {
  /** How many more generations entered than left. */
  change = 0;
  tokens = 0;
  /** Time in which a client kept its stream waiting, and of answers whose tokens nobody could count, or not yet. */
  hiddenMs = 0;
  /** Time of generations without any output. */
  fruitlessMs = 0;
  /** What those that entered and left add to the time in flight. */
  #movedMs = 0;
  /** `change`, by the step in which it came about. */
  readonly #changes = new Int32Array(STEPS);
  readonly #series = new Map<string, SeriesFigures>();

  seriesOf(labels: { model: string; workload: string }): SeriesFigures {
    return seriesIn(this.#series, labels);
  }

  /** So many more are in flight from a time in this window on. Told in any order. */
  moved(change: number, atMs: number): void {
    const intoMs = atMs - windowOf(atMs) * WINDOW_MS;
    const step = Math.min(STEPS - 1, Math.floor(intoMs / STEP_MS));
    this.change += change;
    this.#movedMs += change * (WINDOW_MS - intoMs);
    this.#changes[step] = (this.#changes[step] ?? 0) + change;
  }

  /** `start`: when it began, and with how many generations in flight. Null where it says nothing of the engine. */
  close(start: { atMs: number; inFlight: number }): ClosedWindow | null {
    const inFlightMs = start.inFlight * WINDOW_MS + this.#movedMs;
    if (inFlightMs <= 0 || !this.#isSteady(start.inFlight, inFlightMs / WINDOW_MS)) return null;
    if (this.hiddenMs > HIDDEN_SHARE * inFlightMs || this.fruitlessMs > FRUITLESS_SHARE * inFlightMs) return null;
    return {
      fromMs: start.atMs,
      concurrency: inFlightMs / WINDOW_MS,
      tokensPerSecond: Math.max(0, this.tokens) / (WINDOW_MS / 1000),
      series: this.#series.values(),
    };
  }

  /**
   * Throughput is not in proportion to concurrency: 24 for half of the time and none for the other are not 12, and
   * would look slower. So a window only counts if the concurrency was near its mean for nearly all of it.
   */
  #isSteady(atStart: number, mean: number): boolean {
    let inFlight = atStart;
    let near = 0;
    for (const change of this.#changes) {
      inFlight += change;
      if (inFlight >= mean / NEAR && inFlight <= mean * NEAR) near += 1;
    }
    return near >= STEADY_SHARE * STEPS;
  }
}

export function windowOf(atMs: number): number {
  return Math.floor(atMs / WINDOW_MS);
}

/** Monotonic milliseconds. */
export interface Interval {
  fromMs: number;
  toMs: number;
}

/** Every window of an interval, with the part of the interval that lies in it, from 0 to 1. An interval of no length is a moment. */
export function forEachWindow({ fromMs, toMs }: Interval, visit: (window: number, share: number) => void): void {
  const lengthMs = toMs - fromMs;
  if (!(lengthMs > 0)) {
    visit(windowOf(toMs), 1);
    return;
  }
  for (let window = windowOf(fromMs); window * WINDOW_MS < toMs; window += 1) {
    const partMs = Math.min(toMs, (window + 1) * WINDOW_MS) - Math.max(fromMs, window * WINDOW_MS);
    visit(window, partMs / lengthMs);
  }
}
