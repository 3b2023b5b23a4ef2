import { Window } from './window.ts';

/** The windows of `pitot_throughput_tokens_per_second`, in seconds. */
const THROUGHPUT_WINDOWS = [1, 10, 60] as const;
export type ThroughputWindow = (typeof THROUGHPUT_WINDOWS)[number];

/**
 * `effective`: tokens emitted in the window ÷ the window. `active`: ÷ the part of it in which at
 * least one request was decoding or unstreamed (CONTRACT §1; the two readings are AIPerf's).
 */
export type ThroughputMode = 'effective' | 'active';

export interface ThroughputReading {
  upstream: string;
  model: string;
  windowSeconds: ThroughputWindow;
  mode: ThroughputMode;
  /** Null in mode `active` when nothing ran in the window. */
  tokensPerSecond: number | null;
}

export interface ModelWindow {
  readonly upstream: string;
  readonly model: string;
  readonly window: Window;
}

/** Live system throughput by upstream and model. */
export class Throughput {
  readonly #windows = new Map<string, ModelWindow>();

  /** The window of one upstream and model: where the ledger tells what it emits. */
  windowOf(upstream: string, model: string): Window {
    const key = `${upstream}\n${model}`;
    let entry = this.#windows.get(key);
    if (entry === undefined) {
      entry = { upstream, model, window: new Window() };
      this.#windows.set(key, entry);
    }
    return entry.window;
  }

  /** The windows of one upstream's models, or of all (null). */
  entries(upstream: string | null): ModelWindow[] {
    return [...this.#windows.values()].filter((entry) => upstream === null || entry.upstream === upstream);
  }

  /** Tokens of each of so many seconds, over the models of one upstream or of all (null); the first second is `from`. */
  bySecond(upstream: string | null, from: number, seconds: number): Float64Array {
    const column = new Float64Array(seconds);
    for (const { window } of this.entries(upstream)) window.addSeconds(column, from);
    // A correction of what was counted before it began may be more than was counted in it.
    return column.map((tokens) => Math.max(0, tokens));
  }

  /** Every model, window and mode as it stands now. */
  *readings(nowMs: number): Iterable<ThroughputReading> {
    for (const { upstream, model, window } of this.#windows.values()) {
      for (const windowSeconds of THROUGHPUT_WINDOWS) {
        const tokens = window.tokensOver(windowSeconds, nowMs);
        const active = window.activeSecondsOver(windowSeconds, nowMs);
        const place = { upstream, model, windowSeconds };
        yield { ...place, mode: 'effective', tokensPerSecond: tokens / windowSeconds };
        yield { ...place, mode: 'active', tokensPerSecond: active > 0 ? tokens / active : null };
      }
    }
  }

  /** Effective throughput summed over the models of one upstream, or over all (null). */
  total(upstream: string | null, seconds: ThroughputWindow, nowMs: number): number {
    let tokens = 0;
    for (const entry of this.#windows.values()) {
      if (upstream === null || entry.upstream === upstream) tokens += entry.window.tokensOver(seconds, nowMs);
    }
    return tokens / seconds;
  }
}
